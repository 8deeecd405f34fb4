"""A study simulated many times over: units drawn, and the interval registered put around their mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, inf, sqrt
from types import MappingProxyType

import numpy as np
from scipy.stats import t

from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import Floats
from claims.intervals.scale import Scale
from claims.power.chances import Chances, chances
from claims.power.population import SEED, Population, slope
from claims.power.samples import Samples
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import IntervalMethod, Prediction

# Beyond so many units the distribution of one hardly matters to that of their mean and their spread.
MANY = 400
ENOUGH = 0.8  # the power that is asked for
# Resamples beyond a bound, for figures that are right to a point or two; and with fewer of which a bound is but noise.
_IN_A_TAIL, _FEWEST_IN_A_TAIL = 25, 5
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 999, 4999
# Studies simulated for a chance, and at each step of a search; of those that resample, and of many at once, fewer.
_STUDIES, _STEP, _FEWEST_STUDIES = 4000, 1000, 200
# Units, or resampled values, that are drawn for them at most.
_DRAWN, _DRAWN_AT_A_STEP, _RESAMPLED = 1_000_000, 300_000, 2_000_000
_AT_ONCE = 10  # hypotheses that are simulated in full
# DeLong's error of an AUROC is all but the jackknife's, and has no meaning for a mean.
_STANDS_FOR: Mapping[IntervalMethod, IntervalMethod] = MappingProxyType({"delong": "jackknife_t"})


@dataclass(frozen=True)
class Analysis:
    """How every interval of `hypotheses` is made.

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
        thin = self.resampling and _MOST_RESAMPLES * (1 - self.level) / 2 < _FEWEST_IN_A_TAIL
        return "jackknife_t" if thin else _STANDS_FOR.get(self.method, self.method)

    @property
    def simulated_resamples(self) -> int | None:
        if self.resamples is None or self.simulated not in BOOTSTRAPS:
            return None
        enough = ceil(_IN_A_TAIL / ((1 - self.level) / 2))
        return min(self.resamples, max(_FEWEST_RESAMPLES, min(enough, _MOST_RESAMPLES)))

    def replicates(self, n: int, *, searching: bool) -> int:
        """How many studies of n units are simulated."""
        units = min(n, MANY)
        most = min(_STEP, _DRAWN_AT_A_STEP // units) if searching else min(_STUDIES, _DRAWN // units)
        if self.simulated_resamples is not None:
            most = min(most // 2, _RESAMPLED // self.simulated_resamples)
        return max(_FEWEST_STUDIES, most * _AT_ONCE // max(_AT_ONCE, self.hypotheses))

    def bounds(self, population: Population, value: float, n: int, *, searching: bool = False) -> Floats:
        """Simulated intervals (R, 2), within the metric's range, around means of n units whose mean is `value`."""
        replicates = self.replicates(n, searching=searching)
        if n <= MANY and population.kind != "normal":
            units = population.draw(value, replicates, n)
            return self._intervals(units, n * population.rows_at(value), population.low, population.high)
        with np.errstate(all="ignore"):  # at an end there is no interval
            off = population.sd_at(value) * _standard(self, n, replicates)
            if self.simulated in BOOTSTRAPS:
                return np.clip(value + off, population.low, population.high)
            scale = Scale.of(population.low, population.high, 1)
            steep = slope(population.low, population.high, value)
            return scale.shrunk(scale.stretched(np.array([[value]])) + steep * off)

    def chances(
        self, population: Population, value: float, n: int, predict: Prediction, *, searching: bool = False
    ) -> Chances:
        return chances(self.bounds(population, value, n, searching=searching), predict)

    def _intervals(self, units: Floats, rows: float, low: float = -inf, high: float = inf) -> Floats:
        """`rows` is how many the units are of: Wilson's interval knows no more of a share than they tell."""
        sample = replace(Samples.over(units, range(units.shape[1])), rows=rows)
        return by_cluster(self.simulated, sample, self.level, self.simulated_resamples, SEED, low, high)


@lru_cache(maxsize=256)
def _standard(analysis: Analysis, n: int, replicates: int) -> Floats:
    """Intervals (R, 2) around means of n standard normal units; those of other normal units are these, moved.

    On the scale on which the metric's range has no ends, where Student's and the jackknife's intervals are made, a mean
    is taken to be normal too, its sd by the slope there (the delta method): so that it stays in the range.
    """
    generator = np.random.Generator(np.random.PCG64(SEED))
    if n <= MANY:
        return analysis._intervals(generator.standard_normal((replicates, n)), n)  # noqa: SLF001 - its own
    means = generator.standard_normal(replicates) / sqrt(n)
    halves = np.sqrt(generator.chisquare(n - 1, replicates) / (n - 1) / n) * t.ppf((1 + analysis.level) / 2, n - 1)
    return np.column_stack([means - halves, means + halves])
