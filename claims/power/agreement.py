"""Spearman's rho between two rankings that are made from noisy means, as its interval is made."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import t

from claims.evidence import Estimate
from claims.instruments.agreement_halves import GROUPS, SHORT
from claims.intervals.cluster_sums import Floats
from claims.power.population import Estimates
from claims.power.streams import drawing


@dataclass(frozen=True)
class Agreement(Estimates):
    """The true rho of `claims.instruments.agreement_halves.bounds`, which both rankings' `reliability` attenuates.

    What noise is allowed for in errs normally by `sd` / sqrt(n); the rho of the rankings as they are errs with it, and
    is the reliability times as large (Spearman 1904, of two equal ones): `reliability` of `registered` clusters, and of
    others as many as Spearman and Brown's formula says.
    """

    reliability: float = 1.0
    registered: int = 2

    def drawn(self, n: int) -> int:  # noqa: ARG002 - an error is drawn whatever n is
        return 1

    def reliability_of(self, n: int) -> float:
        times = n / self.registered
        return times * self.reliability / (1 + (times - 1) * self.reliability)

    def bounds(self, value: float, level: float, n: int, replicates: int) -> Floats:
        """(R, 2) of studies of n clusters: Student's t over the groups left out, moved and widened as there."""
        generator, error, freedom = drawing(), self.sd / sqrt(n), groups(n) - 1
        corrected = value + error * generator.standard_normal(replicates)
        found = error * np.sqrt(generator.chisquare(freedom, replicates) / freedom)
        half = found * float(t.ppf((1 + level) / 2, freedom))
        plain = self.reliability_of(n) * corrected
        short = SHORT * (corrected - plain)
        lo = np.minimum(plain, corrected - half + np.minimum(short, 0))
        hi = np.maximum(plain, corrected + half + np.maximum(short, 0))
        intervals: Floats = np.clip(np.column_stack([lo, hi]), self.low, self.high)
        return intervals


def groups(n: int) -> int:
    """How many groups of n clusters are left out in turn."""
    return min(n, GROUPS)


def sd_of_agreement(estimate: Estimate) -> float | None:
    """What `Agreement` takes, from an interval and the rho between, that of the rankings as they are.

    The middle lies half of what was added on one side from the corrected rho, and that was SHORT of the correction.
    None where a bound was clipped, at -1 or 1: the middle is not known.
    """
    if max(-estimate.lo, estimate.hi) >= 1:
        return None
    added = SHORT / (1 + SHORT / 2) * ((estimate.lo + estimate.hi) / 2 - estimate.value)
    half = (estimate.hi - estimate.lo - abs(added)) / 2
    return half / float(t.ppf((1 + estimate.level) / 2, groups(estimate.n) - 1)) * sqrt(estimate.n)
