"""Preference pairs as a model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TokenText:
    """A prompt with its response; `response` is the index of the response's first token in `ids`."""

    ids: tuple[int, ...]
    response: int


@dataclass(frozen=True)
class TokenPair:
    id: str
    dimension: str
    cluster: str
    chosen: TokenText
    rejected: TokenText


def common_prefix(first: Sequence[object], second: Sequence[object]) -> int:
    """How many leading items are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(first), len(second)))
