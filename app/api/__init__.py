"""The HTTP interface: a router per resource; `schemas` is what they answer, `protocol` what HTTP asks of all alike."""
