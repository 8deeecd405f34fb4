"""What evidence on the ledger says of a metric's spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Recorded:
    """The standard deviation of one unit, the median over evidence of these claims, one of each, the latest first.

    `same_subject` says that they measured the subject of the registration; else they measured others.
    """

    sd: float
    claims: Sequence[str]
    same_subject: bool

    def __str__(self) -> str:
        several = len(self.claims) > 1
        subject = "this subject" if self.same_subject else "other subjects" if several else "another subject"
        median = f"the median of {len(self.claims)} claims" if several else "one claim"
        return f"recorded: {median} on {subject} ({', '.join(self.claims)})"
