"""Many simulated samples at once, each a row of independent units whose mean is the estimate."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from claims.intervals.cluster_sums import Floats
from claims.intervals.means import Means


class Samples(Means):
    """The means of R samples of n units, as R statistics of n clusters of one row: `Samples.over(units, range(n))`.

    Every sample is resampled by the same draws of places; as its units are in no order, that ties no two together.
    """

    @property
    def held_within(self) -> int:
        return self.held

    def errors_of(self, counts: Floats) -> Floats:
        """(R, B), each resample's s / sqrt(n): the jackknife's error of a mean, without leaving anything out."""
        drawn = counts.sum(axis=1)
        sums, squares = self._deviations @ counts.T, self._deviations**2 @ counts.T
        errors: Floats = np.sqrt(np.maximum(squares - sums**2 / drawn, 0) / (drawn * (drawn - 1)))
        return errors

    @cached_property
    def _deviations(self) -> Floats:
        units = self.sums[1:]
        deviations: Floats = units - units.mean(axis=1, keepdims=True)
        return deviations
