"""Means over standard deviations, Hedges' g, of many studies at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from claims.instruments.bias_statistics import about_mean, correction
from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.sample import Sample
from claims.power.population import Population
from claims.power.streams import drawing

MOST_UNEVEN = 2.0  # times the variance of equal units: from nothing to twice as large as the mean


@dataclass(frozen=True)
class UnitNormal(Population):
    """Rows with sd 1 about a mean of g: `rows` independent ones to a unit, or units of two sizes.

    Of one row to a unit the variance is 1 + g^2 / 2 (Hedges 1981): where a smaller one is assumed, units hold more
    rows; where a larger one, half of them weigh `uneven` more than the mean, and half as much less. Either stays the
    same whatever g is.
    """

    rows: float = 1.0
    uneven: float = 0.0

    @classmethod
    def like(cls, value: float, sd: float) -> UnitNormal | None:
        """With this sd, if units could be so uneven, or hold so many rows as numbers can tell."""
        ratio = sd / of_one(value)
        if not 0 < ratio * ratio <= MOST_UNEVEN or 1 / ratio / ratio == inf:
            return None
        rows, uneven = max(1.0, 1 / ratio / ratio), sqrt(max(0.0, ratio * ratio - 1))
        return cls("unit_normal", sd, -inf, inf, value, rows=rows, uneven=uneven)

    def sd_at(self, value: float) -> float:
        return of_one(value) * sqrt((1 + self.uneven**2) / self.rows)

    def sample(self, value: float, replicates: int, n: int, part: int = 0) -> Sample:
        generator, weight = drawing(part), self.rows * (1 + self.uneven * np.resize([1.0, -1.0], n))
        means = value + generator.standard_normal((replicates, n)) / sqrt(self.rows)
        within = generator.chisquare(self.rows - 1, (replicates, n)) if self.rows > 1 else 0.0
        return ClusterSums(np.concatenate([weight[None], weight * means, weight * means**2 + within]), standardised)


def of_one(value: float) -> float:
    """The sd of one unit of one row, by the error of g over many of them."""
    return sqrt(1 + value * value / 2)


def standardised(totals: Floats) -> Floats:
    """(R, ...) from totals (1 + 2 R, ...), rows, sums and sums of squares: g as the bias battery has it."""
    rows, (sums, squares) = totals[0], totals[1:].reshape(2, -1, *totals.shape[1:])
    with np.errstate(all="ignore"):
        found: Floats = correction(rows - 1) * (sums / rows) / np.sqrt(about_mean(rows, sums, squares) / (rows - 1))
    return found
