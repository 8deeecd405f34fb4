"""Slopes of the reward on length, of many studies at once, with the intervals that they have."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.jackknife_t import jackknife_t
from claims.power.population import MANY, Estimates
from claims.power.streams import drawing
from claims.registration.model import IntervalMethod

# Pairs of normal length to a degree of freedom of the jackknife's variance of a slope: for normal residuals e it is
# sum(x^2 e^2) over sum(x^2)^2, whose numerator has the variance 6 / n of its mean's square, as a chi-square of n / 3.
PAIRS_TO_A_DEGREE = 3


@dataclass(frozen=True)
class Slope(Estimates):
    """Units of one pair, normal in length and in reward about a line: a slope errs more where lengths are alike.

    Its interval is the jackknife's; where it is `bootstrapped`, with the quantile that a studentised bootstrap finds on
    average, Student's with the degrees of freedom that the jackknife's variance has.
    """

    bootstrapped: bool = False

    @classmethod
    def like(cls, value: float, sd: float, method: IntervalMethod) -> Slope | None:
        """None for other intervals."""
        if method not in {"jackknife_t", "studentised_bootstrap"}:
            return None
        return cls("slope", sd, -inf, inf, value, bootstrapped=method == "studentised_bootstrap")

    def drawn(self, n: int) -> int:
        return min(n, MANY)

    def bounds(self, value: float, level: float, n: int, replicates: int) -> Floats:
        """(R, 2). Of normal lengths the variance of a slope is 1 / (n - 3) of the residual's, on average over them."""
        few = self.drawn(n)
        slopes, left_out = _drawn(few, replicates)
        with np.errstate(all="ignore"):
            lo, hi = jackknife_t(slopes, left_out, level).T
            wider = self._quantile(level, n) / float(t.ppf((1 + level) / 2, few - 1)) * (hi - lo) / 2
            error = self.sd / sqrt(n) * sqrt(max(1, few - 3))
            intervals: Floats = value + error * np.column_stack([slopes - wider, slopes + wider])
        return intervals

    def _quantile(self, level: float, n: int) -> float:
        freedom = n / PAIRS_TO_A_DEGREE if self.bootstrapped else n - 1
        return float(t.ppf((1 + level) / 2, freedom))


def _drawn(n: int, replicates: int) -> tuple[Floats, Floats]:
    """(R,) slopes of values with sd 1 on lengths with sd 1, where there is none, and (R, n) without each pair.

    Leaving out a pair whose residual is e and whose length is x from the mean takes x e / ((1 - h) sum(x^2)) off the
    slope, with h = 1 / n + x^2 / sum(x^2) (Miller 1974).
    """
    lengths, values = drawing().standard_normal((2, replicates, n))
    lengths -= lengths.mean(axis=1, keepdims=True)
    values -= values.mean(axis=1, keepdims=True)
    squares = (lengths * lengths).sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):  # one pair tells no slope
        slopes = (lengths * values).sum(axis=1, keepdims=True) / squares
        off = lengths * (values - slopes * lengths) / (squares * (1 - 1 / n) - lengths * lengths)
    return slopes[:, 0], slopes - off
