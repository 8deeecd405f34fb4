"""What evidence on the ledger says of a metric's spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

from scipy.stats import t

from claims.evidence import Estimate


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


def sd_of(estimate: Estimate) -> float | None:
    """The sd of one of an estimate's units: half the width of its interval over Student's quantile, times sqrt(n).

    Of an interval that was clipped at an end of the metric's range, the wider side is half its width. None where the
    interval says nothing of a spread: it is exact, has no width, or is over fewer than two units.
    """
    half = max(estimate.value - estimate.lo, estimate.hi - estimate.value)
    if estimate.method == "exact" or estimate.n < 2 or not half > 0:  # noqa: PLR2004  # one unit has no spread
        return None
    return half / float(t.ppf((1 + estimate.level) / 2, estimate.n - 1)) * sqrt(estimate.n)


def recorded_of(found: Mapping[str, Estimate], *, same_subject: bool) -> Recorded | None:
    """What estimates of one metric, by claim and the latest first, say of its spread; None where they say nothing."""
    known = {claim: sd for claim, estimate in found.items() if (sd := sd_of(estimate)) is not None}
    return Recorded(median(known.values()), tuple(known), same_subject) if known else None
