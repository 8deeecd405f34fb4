"""What every route shares: keys, addresses, queries, bodies, problems, entity tags and the OpenAPI document."""
