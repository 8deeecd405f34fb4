"""The ledger in numbers, each number a way to the claims behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.ledger.queries import Counts

# Verdicts first, refutations as prominent as confirmations; then what is still to come; then what was replaced.
ORDER = ("confirmed", "refuted", "inconclusive", "void", "registered", "running", "withdrawn")


@dataclass(frozen=True)
class Tally:
    word: str
    amount: int
    url: str


def tallies(counts: Counts) -> Sequence[Tally]:
    found = [Tally(word, counts.by_status[word], f"/claims?status={word}") for word in ORDER]
    return [*found, Tally("superseded", counts.superseded, "/claims?superseded=true")]
