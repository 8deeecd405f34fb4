"""What evidence on the ledger says of a metric's spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

import numpy as np
from scipy.stats import t

from claims.evidence import Estimate
from claims.instruments.manifest import Metric
from claims.intervals.scale import Scale
from claims.power.agreement import sd_of_agreement
from claims.power.population import slope

ON_SCALE = ("student_t", "jackknife_t", "delong")  # whose bounds are worked out where the metric's range has no ends


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


def sd_of(estimate: Estimate, metric: Metric) -> float | None:
    """The sd of one of an estimate's units, from the width of its interval.

    Half the width over Student's quantile, times sqrt(n). Of Student's and the jackknife's interval it is the width on
    the scale on which the metric's range has no ends, over its slope at the estimate; else, where a bound may have been
    clipped, the wider side is half. Of a rho between rankings it is what its interval was made from. None where the
    interval says nothing of a spread: it is exact, has no width, or is over fewer than two units.
    """
    if estimate.method == "exact" or estimate.n < 2 or not estimate.lo < estimate.hi:  # noqa: PLR2004  # no spread
        return None
    if metric.statistic == "agreement":
        return sd_of_agreement(estimate)
    half = max(estimate.value - estimate.lo, estimate.hi - estimate.value)
    if metric.statistic == "largest":  # whose lower bound allows for more than its own error
        half = estimate.hi - estimate.value
    elif estimate.method in ON_SCALE and metric.low < estimate.lo and estimate.hi < metric.high:
        bounds = Scale.of(metric.low, metric.high, 1).stretched(np.array([[estimate.lo, estimate.hi]]))
        half = float(np.ptp(bounds)) / 2 / slope(metric.low, metric.high, estimate.value)
    return half / float(t.ppf((1 + estimate.level) / 2, estimate.n - 1)) * sqrt(estimate.n)


def recorded_of(found: Mapping[str, Estimate], metric: Metric, *, same_subject: bool) -> Recorded | None:
    """What estimates of `metric`, by claim and the latest first, say of its spread; None where they say nothing."""
    spreads = {claim: sd_of(estimate, metric) for claim, estimate in found.items()}
    known = {claim: sd for claim, sd in spreads.items() if sd is not None}
    return Recorded(median(known.values()), tuple(known), same_subject) if known else None
