"""Two checkpoints of one log: does the larger tree begin with the smaller?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claims.checkpoint import Checkpoint
from claims.merkle import verify_consistency
from claims.verifying.lines import CannotBeCheckedError

Prove = Callable[[int, int], Sequence[bytes]]
"""Gives the proof that the tree of the second size extends that of the first; without one, CannotBeCheckedError."""


@dataclass(frozen=True)
class ForkError(Exception):
    """Two heads of one log, signed by its key, that are not shown to be of one history.

    `certain` where no single history can have both; else it was a proof that does not hold, which may be the log's
    fault or only that of whoever answered.
    """

    why: str
    certain: bool


def check_consistency(known: Checkpoint, other: Checkpoint, prove: Prove | None) -> str:
    """That both are heads of one growing log (RFC 6962, section 2.1.2).

    Raises `ForkError` where they are not, and CannotBeCheckedError where nobody proves it.
    """
    if known.origin != other.origin:
        raise CannotBeCheckedError(f"the one is of the log {known.origin}, the other of {other.origin}")
    if known.size == other.size:
        if known.root != other.root:
            why = f"two trees of {known.size} entries: {known.root.hex()} and {other.root.hex()}"
            raise ForkError(why, certain=True)
        return f"the same tree of {known.size} entries"
    first, second = sorted((known, other), key=lambda head: head.size)
    if prove is None:
        raise CannotBeCheckedError(
            f"whether the tree of {second.size} entries begins with that of {first.size} takes a proof of the service's"
        )
    proof = prove(first.size, second.size)
    if not verify_consistency(first.size, second.size, first.root, second.root, proof):
        raise ForkError(
            f"the proof does not show that the tree of {second.size} entries begins with the one of {first.size}",
            certain=False,
        )
    return f"the tree of {second.size} entries begins with that of {first.size}"
