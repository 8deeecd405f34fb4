"""Why something is void, in a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from app.cli.output import number


def void_line(void: Mapping[str, Any]) -> str:
    """The reason, which hypothesis it is of, the figures behind it, and what to do."""
    of = f" of {void['hypothesis']}" if void["hypothesis"] else ""
    behind = _behind(void["reason"], void["figures"]).rstrip(".")
    return f"{void['reason']}{of}: {behind}{'. ' if behind else ''}{void['remedy']}"


def _behind(reason: str, figures: Mapping[str, Any]) -> str:
    match reason:
        case "failed_control":
            return f"the {figures['control']} control asks for {_condition(figures)}"
        case "kill_criterion":
            return f"{figures['criterion']} ({figures['reason']}) fires at {_condition(figures)}"
        case _:
            return ", ".join(f"{name} {_told(value)}" for name, value in figures.items())


def _condition(figures: Mapping[str, Any]) -> str:
    measured = figures["measured"]
    found = "it was not measured" if measured is None else f"{number(measured)} was measured"
    return f"{figures['metric']} {figures['op']} {number(figures['value'])}, and {found}"


def _told(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, float):
        return number(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
