"""Keyset cursors: where a list was left, opaque to whoever carries it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from claims.flaws import Flaw, RefusedInputError

Item = TypeVar("Item")
_PREFIX = "before:"
LARGEST = 2**63 - 1  # of a bigint


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A part of a list, and the cursor of the next part; `next` is None at the end."""

    items: Sequence[Item]
    next: str | None


def encode(seq: int) -> str:
    return base64.urlsafe_b64encode(f"{_PREFIX}{seq}".encode()).decode().rstrip("=")


def decode(cursor: str) -> int:
    """The seq below which the next part lies; raises `RefusedInputError` for what is no cursor of ours."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
        seq = int(text.removeprefix(_PREFIX))
    except ValueError:
        seq = -1
    if not 0 <= seq <= LARGEST or encode(seq) != cursor:
        remedy = "Take it from `next` of the list before, or leave it out to begin."
        raise RefusedInputError(Flaw("/cursor", "bad_cursor", "this is no cursor of this service", remedy))
    return seq
