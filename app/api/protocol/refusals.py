"""Flaws that the rules found, as one problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import ProblemError
from claims.flaws import RefusedInputError


@contextmanager
def refused_as(problem: type[ProblemError]) -> Iterator[None]:
    """Raises `problem`, with every flaw, where the block raises RefusedInputError."""
    try:
        yield
    except RefusedInputError as refused:
        first, count = refused.flaws[0], len(refused.flaws)
        place = f"{first.pointer}: {first.detail}" if first.pointer else first.detail
        detail = place if count == 1 else f"{count} things are wrong; the first: {place}"
        raise problem(_sentence(detail), flaws=refused.flaws) from None


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
