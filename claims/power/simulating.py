"""From what is assumed of a hypothesis's metric, or recorded of it, to what it has to expect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np
from scipy.stats import norm, t

from claims.instruments.manifest import Metric
from claims.intervals.cluster_sums import Floats
from claims.power.aims import Aim, aim_of, nearest
from claims.power.chances import chances
from claims.power.population import Population
from claims.power.populations import Shape, population_of
from claims.power.prospect import Prospect
from claims.power.recorded import Recorded
from claims.power.smallest import smallest_number
from claims.power.study import ENOUGH, Analysis
from claims.power.units import Units
from claims.registration.model import Assumption, Hypothesis
from claims.verdict.regions import bounds, outcome

NOT_SEARCHED = "what is detectable, and the smallest n, are not searched for: too many hypotheses have assumptions"
NOTHING_KNOWN = (
    "unknown: state under `assumptions` what value is expected and the sd of one unit, from a pilot; the ledger holds "
    "no evidence of this metric by this instrument to take an sd from"
)
NOT_DRAWN = {
    "chosen": "not simulated: its interval allows for which component is chosen; a hypothesis about a named one is",
    "largest": "not simulated: no effect sizes of normal pairs vary as much as this sd says",
}
NOISELESS = "as if the rankings had no noise: state their `reliability` beside the value that is expected without noise"
COUNTED = "exact, not estimated: its interval has no sampling error to simulate"


@dataclass(frozen=True)
class Simulation:
    """One hypothesis, its metric as it is in this registration, and the units, interval and dimensions that it has."""

    hypothesis: Hypothesis
    metric: Metric
    analysis: Analysis
    unit: str
    units: Units
    dimensions: int = 1

    def prospect(self, assumption: Assumption | None, recorded: Recorded | None, *, searched: bool) -> Prospect:
        """What is to be expected; without `searched`, the chances alone."""
        nothing = Prospect(self.hypothesis, self.unit, self.units)
        if self.metric.exact:
            return replace(nothing, note=COUNTED)
        if self.metric.statistic == "agreement" and (assumption is None or assumption.reliability == 1):
            nothing = replace(nothing, note=NOISELESS)
        if assumption is not None:
            told = replace(nothing, sd=assumption.sd, assumed=assumption.value, source=assumption.source)
        elif recorded is not None:
            told = replace(nothing, sd=recorded.sd, source=str(recorded))
        else:
            return replace(nothing, note=NOTHING_KNOWN)
        if self.units.n is None:
            return told
        return self._simulated(told, self.units.n, assumption, searched=searched)

    def _simulated(self, told: Prospect, n: int, assumption: Assumption | None, *, searched: bool) -> Prospect:
        predict = self.hypothesis.predict
        aim = aim_of(predict, self.metric.low, self.metric.high, told.assumed)
        about = aim.edge if told.assumed is None else told.assumed
        shape = self._shape(assumption, n)
        population = population_of(about, told.sd or 0.0, self.metric, self.analysis.method, shape)
        if population is None:
            return replace(told, note=NOT_DRAWN[self.metric.statistic])
        intervals = self.analysis.bounds(population, about, n)
        told = replace(told, drawn_from=population.kind, aim=aim, half_width=_half_width(intervals))
        if told.assumed is not None:
            told = replace(told, chances=chances(intervals, predict), target=self._target(told.assumed))
        if searched:
            return self._searched(told, population, n)
        return replace(told, note="; ".join(note for note in (told.note, NOT_SEARCHED) if note))

    def _shape(self, assumption: Assumption | None, n: int) -> Shape:
        if assumption is None:
            return Shape(dimensions=self.dimensions, n=n)
        return Shape(assumption.skewness, assumption.reliability, self.dimensions, n)

    def _target(self, value: float) -> str | None:
        """What the assumed value should come out as; None on the very edge, where no number of units decides."""
        predict = self.hypothesis.predict
        return None if value in bounds(predict) else outcome(value, value, predict)

    def _searched(self, told: Prospect, population: Population, n: int) -> Prospect:
        aim = told.aim
        detectable = None if aim is None else self._detectable(aim, population, n)
        return replace(told, searched=True, detectable=detectable, smallest_n=self._smallest(told, population))

    def _detectable(self, aim: Aim, population: Population, n: int) -> float | None:
        predict, searching = self.hypothesis.predict, not population.standard  # whose studies are simulated once
        quantile = float(t.ppf((1 + self.analysis.level) / 2, n - 1))
        scale = (quantile + float(norm.ppf(ENOUGH))) * population.sd / sqrt(n)

        def chance(value: float) -> float:
            return self.analysis.chances(population, value, n, predict, searching=searching).confirmed

        return nearest(aim, scale, chance)

    def _smallest(self, told: Prospect, population: Population) -> int | None:
        value, target, predict = told.assumed, told.target, self.hypothesis.predict
        if value is None or target is None:
            return None
        away = min(abs(value - bound) for bound in bounds(predict))
        quantiles = float(norm.ppf((1 + self.analysis.level) / 2) + norm.ppf(ENOUGH))
        ratio = quantiles * population.sd / away if away > 0 else inf

        def chance(n: int) -> float:
            found = self.analysis.chances(population, value, n, predict, searching=True)
            return found.confirmed if target == "confirmed" else found.refuted

        return smallest_number(ratio * ratio, self.units.fewest, self.units.most, chance)


def _half_width(intervals: Floats) -> float | None:
    """The median; None where no study has an interval."""
    sound = intervals[np.isfinite(intervals).all(axis=1)]
    return float(np.median(sound[:, 1] - sound[:, 0])) / 2 if len(sound) else None
