"""A study simulated many times over: units drawn, and the interval registered put around what is estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from math import ceil, inf
from types import MappingProxyType

import numpy as np

from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import Floats
from claims.intervals.sample import Sample
from claims.intervals.scale import Scale
from claims.power.budget import studies
from claims.power.chances import Chances, chances
from claims.power.population import MANY, Estimates, Population, slope
from claims.power.samples import Samples
from claims.power.standard import around_many, standard_units
from claims.power.streams import resampling
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import IntervalMethod, Prediction

# Beyond so many units, as beyond MANY where nothing is bootstrapped, the distribution of one hardly matters to that of
# their mean and their spread: to draw them takes much longer.
MANY_RESAMPLED = 200
ENOUGH = 0.8  # the power that is asked for
_SHARING = 100  # studies that are resampled in the same way
Draw = Callable[[int, int, int], Sample]  # so many studies, of so many units each, a part of all
# Resamples beyond a bound, for figures that are right to a point or two; and with fewer of which a bound is but noise.
_IN_A_TAIL, _FEWEST_IN_A_TAIL = 25, 5
_FEWEST_RESAMPLES, _MOST_RESAMPLES, _MOST_RESAMPLES_OF_MANY = 999, 4999, 1999
_MANY_HYPOTHESES = 40
# DeLong's error of an AUROC is all but the jackknife's, and has no meaning for a mean.
_STANDS_FOR: Mapping[IntervalMethod, IntervalMethod] = MappingProxyType({"delong": "jackknife_t"})


@dataclass(frozen=True)
class Analysis:
    """How every interval is made, of `hypotheses` that are simulated.

    One that resamples does so as often as registered, or less often where that is slow; where it would have to do so
    very often for a tail that is very thin, Student's stands for it.
    """

    method: IntervalMethod
    level: float
    resamples: int | None
    hypotheses: int = 1

    @property
    def resampling(self) -> bool:
        return self.method in BOOTSTRAPS

    @property
    def simulated(self) -> IntervalMethod:
        """The method by which intervals around simulated means are made."""
        thin = self.resampling and self._most_resamples * (1 - self.level) / 2 < _FEWEST_IN_A_TAIL
        return "jackknife_t" if thin else _STANDS_FOR.get(self.method, self.method)

    @property
    def simulated_resamples(self) -> int | None:
        if self.resamples is None or self.simulated not in BOOTSTRAPS:
            return None
        enough = ceil(_IN_A_TAIL / ((1 - self.level) / 2))
        return min(self.resamples, max(_FEWEST_RESAMPLES, min(enough, self._most_resamples)))

    @property
    def _most_resamples(self) -> int:
        return _MOST_RESAMPLES if self.hypotheses <= _MANY_HYPOTHESES else _MOST_RESAMPLES_OF_MANY

    def drawn(self, n: int) -> bool:
        """Whether n units are drawn one by one, and not their mean and spread alone."""
        return n <= (MANY_RESAMPLED if self.simulated in BOOTSTRAPS else MANY)

    def replicates(self, population: Population, n: int, *, searching: bool) -> int:
        """How many studies of n units are simulated."""
        if isinstance(population, Estimates):
            units, resamples = population.drawn(n), None
        else:
            units, resamples = (n * population.rows_drawn, self.simulated_resamples) if self.drawn(n) else (1, None)
        return studies(population.kind, units, resamples, self.hypotheses, searching=searching)

    def bounds(self, population: Population, value: float, n: int, *, searching: bool = False) -> Floats:
        """Simulated intervals (R, 2), within the metric's range, around estimates from n units of a true `value`."""
        replicates = self.replicates(population, n, searching=searching)
        if isinstance(population, Estimates):
            return population.bounds(value, self.level, n, replicates)
        if self.drawn(n) and not population.standard:
            draw = partial(population.sample, value)
            return self.intervals(draw, replicates, n, population.low, population.high)
        with np.errstate(all="ignore"):  # at an end there is no interval
            off = population.sd_at(value) * _standard(self, population.skewness, n, replicates)
            if self.simulated in BOOTSTRAPS:
                return np.clip(value + off, population.low, population.high)
            scale = Scale.of(population.low, population.high, 1)
            steep = slope(population.low, population.high, value)
            return scale.shrunk(scale.stretched(np.array([[value]])) + steep * off)

    def chances(
        self, population: Population, value: float, n: int, predict: Prediction, *, searching: bool = False
    ) -> Chances:
        return chances(self.bounds(population, value, n, searching=searching), predict)

    def intervals(self, draw: Draw, replicates: int, n: int, low: float = -inf, high: float = inf) -> Floats:
        """(R, 2), R being `replicates` or a few more; where units are drawn again, by other resamples in every part.

        Bounds that a few resamples put a little off are all off by as much, if they share them.
        """
        parts = 1 if self.simulated_resamples is None else ceil(replicates / _SHARING)
        samples = (draw(ceil(replicates / parts), n, part) for part in range(parts))
        return np.concatenate([self._around(sample, part, low, high) for part, sample in enumerate(samples)])

    def _around(self, sample: Sample, part: int, low: float, high: float) -> Floats:
        method = self.method if isinstance(sample, Aurocs) else self.simulated
        return by_cluster(method, sample, self.level, self.simulated_resamples, resampling(part), low, high)


@lru_cache(maxsize=256)
def _standard(analysis: Analysis, skewness: float, n: int, replicates: int) -> Floats:
    """Intervals (R, 2) around means of n units with mean 0 and sd 1; those of other such units are these, moved.

    On the scale on which the metric's range has no ends, where Student's and the jackknife's intervals are made, a mean
    is taken to be normal too, its sd by the slope there (the delta method): so that it stays in the range.
    """
    if not analysis.drawn(n):
        return around_many(analysis.simulated, analysis.level, skewness, n, replicates)

    def draw(replicates: int, n: int, part: int) -> Sample:
        return Samples.over(standard_units(skewness, (replicates, n), part), range(n))

    return analysis.intervals(draw, replicates, n)
