"""Parameters as a run uses them: what the document states, and the schema's default for what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def completed(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given`, valid against the JSON Schema `schema`, with the `default` of every property it does not name."""
    defaults = {name: rule["default"] for name, rule in schema["properties"].items() if "default" in rule}
    return {**defaults, **given}
