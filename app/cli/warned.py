"""The warnings of a design check, printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.cli.output import line
from claims.warned import Alike, by_code


def print_warnings(check: Mapping[str, Any]) -> None:
    """A line each; one line for many of a kind, with the first of them in full. `--json` has all of them."""
    for alike in by_code(check):
        if alike.few:
            for pointer, detail in zip(alike.pointers, alike.details, strict=True):
                line("warning", f"{alike.code} {pointer}: {detail}")
        else:
            line("warning", _together(alike))


def _together(alike: Alike) -> str:
    named = f"{alike.code} of {len(alike.about)} ({', '.join(alike.about)})"
    return f"{named}: {alike.meaning} The first: {alike.details[0]}"
