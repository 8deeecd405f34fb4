"""The pages for people: rendered here, whole without a script, and reading nothing but the ledger."""
