"""The largest |Hedges' g| of several dimensions, as its interval is made."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.jackknife_t import jackknife_t
from claims.power.population import MANY, Estimates
from claims.power.streams import drawing
from claims.power.unit_normal import UnitNormal


@dataclass(frozen=True)
class Largest(Estimates):
    """One of `dimensions` has the value and the others have no effect, which is most easily taken for what it is.

    `units` are those of any of them, and err independently from dimension to dimension.
    """

    units: UnitNormal | None = None
    dimensions: int = 1

    @classmethod
    def like(cls, value: float, sd: float, dimensions: int) -> Largest | None:
        """With this sd where g is `value`; None where units of pairs cannot have it."""
        units = UnitNormal.like(value, sd)
        return None if units is None else cls("largest", sd, 0.0, np.inf, value, units=units, dimensions=dimensions)

    def drawn(self, n: int) -> int:
        return min(n, MANY) + self.dimensions

    def bounds(self, value: float, level: float, n: int, replicates: int) -> Floats:
        """(R, 2) of studies of n clusters in each dimension, by the rule of `claims.instruments.bias_largest`.

        By Student's t with as many errors as the jackknife finds, of bootstraps too. Where there is no effect, g is
        Student's t times its error, which then hardly varies.
        """
        if self.units is None:
            raise ValueError("without units there is nothing to draw")
        few, others, tail = min(n, MANY), (replicates, self.dimensions - 1), (1 - level) / 2
        sample = self.units.sample(value, replicates, few)
        lo, hi = jackknife_t(sample.values(), sample.left_out(), level).T
        closer = sqrt(few / n)
        generator, of_none = drawing(1), self.units.sd_at(0.0) / sqrt(n)
        none = of_none * generator.standard_t(n - 1, others)
        found = np.column_stack([value + ((lo + hi) / 2 - value) * closer, none])
        errors = np.full(found.shape, of_none)
        errors[:, 0] = (hi - lo) / 2 / float(t.ppf(1 - tail, few - 1)) * closer
        each, together = (float(t.ppf(1 - part, n - 1)) for part in (tail, tail / (2 * self.dimensions)))
        lowest = np.maximum(0.0, np.abs(found) - together * errors).max(axis=1)
        return np.column_stack([lowest, (np.abs(found) + each * errors).max(axis=1)])
