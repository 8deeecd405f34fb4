"""What a verification says: one line for each thing that was checked, or could not be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "failed", "not checked"]


_LONGEST = 600


@dataclass(frozen=True)
class Line:
    """`name` of what was checked, how it came out, and in words what was found, or why not."""

    name: str
    state: State
    detail: str


class DoesNotHoldError(ValueError):
    """What was checked is not so; the text says what was found instead."""


class CannotBeCheckedError(Exception):
    """Nothing at hand tells; the text says what is missing."""


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise DoesNotHoldError(otherwise)


def printable(text: str) -> str:
    """`text` on one line, with what a terminal would obey written as escapes; its end left out where it is very long.

    Details quote what is in a bundle, which anybody may have written.
    """
    line = " ".join(text.split())
    shown = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in line
    )
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}… ({len(shown)} characters)"
