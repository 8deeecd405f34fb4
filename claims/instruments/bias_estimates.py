"""From each axis to estimates with intervals over clusters, or to why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from types import MappingProxyType

import numpy as np

from claims.evidence import Estimate
from claims.instruments.agreement_statistics import kish
from claims.instruments.bias_largest import bounds_of_largest
from claims.instruments.bias_statistics import Axis, length_effects
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.spread import differ
from claims.registration.model import IntervalMethod
from claims.seeds import Seeds

PER_AXIS = ("mean_delta", "effect_size", "length_adjusted_delta")
OF_LENGTH = ("length_slope", "length_effect_size")
# The clusters from which simulation found no tail too often missed: the table in docs/instruments/bias_battery.md.
FEWEST: Mapping[IntervalMethod, Mapping[str, int]] = MappingProxyType(
    {
        "studentised_bootstrap": {
            "mean_delta": 12,
            "effect_size": 50,
            "length_adjusted_delta": 12,
            "length_slope": 12,
            "length_effect_size": 50,
        },
        "jackknife_t": {
            "mean_delta": 50,
            "effect_size": 12,
            "length_adjusted_delta": 30,
            "length_slope": 12,
            "length_effect_size": 12,
        },
        "bca": {"mean_delta": 50, "effect_size": 20, "length_adjusted_delta": 30, "length_slope": 50},
        "percentile": dict.fromkeys((*PER_AXIS, *OF_LENGTH), 50),
    }
)


@dataclass(frozen=True)
class NotMeasured:
    """Why there is no estimate; `value`, where the sample has one to which no interval can be given."""

    reason: str
    value: float | None = None


Answer = Estimate | NotMeasured


@dataclass(frozen=True)
class Battery:
    """The axes measured, and how every interval is made; `seeds` by `bootstrap/` and what is drawn for."""

    axes: Sequence[Axis]
    level: float
    method: IntervalMethod
    resamples: int | None
    seeds: Seeds

    def answers(self) -> dict[str, Answer]:
        """By metric: its estimate, or why it was not measured."""
        found = dict(self._of_axes())
        names = sorted({name for axis in self.axes for name in axis.names})
        pooled = ClusterSums(np.concatenate([axis.moments(names) for axis in self.axes]), length_effects)
        undefined = "length differences are equal within every axis, or deltas follow from them exactly"
        found |= self._answers(OF_LENGTH, pooled, self.axes, "axes", undefined)
        found["max_abs_effect_size"] = self._largest(found)
        return found

    def _of_axes(self) -> Iterator[tuple[str, Answer]]:
        for axis in self.axes:
            equal = not differ(axis.deltas, -inf, inf)
            lengths = "its length differences are all equal, so that nothing can be told from length"
            for metric, answer in self._answers(PER_AXIS, axis.effects(), [axis], f"axis/{axis.name}", lengths).items():
                if equal and isinstance(answer, NotMeasured):
                    reason = "its deltas are all equal: nothing says how far they might vary"
                    yield f"{metric}.{axis.name}", NotMeasured(reason, answer.value)
                else:
                    yield f"{metric}.{axis.name}", answer

    def _answers(
        self, metrics: Sequence[str], sample: ClusterSums, axes: Sequence[Axis], label: str, undefined: str
    ) -> dict[str, Answer]:
        """The answer for each of the sample's statistics, which are of all these axes; `undefined` says why of NaN."""
        few = {metric: self._too_few(metric, sample.clusters) for metric in metrics}
        values, bounds = sample.values(), np.full((len(metrics), 2), nan)
        if not all(few.values()):
            bounds = by_cluster(self.method, sample, self.level, self.resamples, self.seeds(f"bootstrap/{label}"))
        found: dict[str, Answer] = {}
        for metric, value, row in zip(metrics, values, bounds, strict=True):
            if not isfinite(value):
                found[metric] = NotMeasured(undefined)
            elif few[metric]:
                found[metric] = NotMeasured(few[metric], float(value))
            else:
                found[metric] = self._answer(float(value), row, axes)
        return found

    def _too_few(self, metric: str, clusters: int) -> str:
        """Why so many clusters are too few for the metric's interval; nothing where they are enough."""
        needed = {method: fewest[metric] for method, fewest in FEWEST.items() if metric in fewest}
        if clusters >= needed.get(self.method, inf):
            return ""
        others = " or ".join(f"{method} from {number}" for method, number in needed.items())
        return f"its pairs form {clusters} independent clusters; an interval for it is offered by {others}"

    def _answer(self, value: float, bounds: Floats, axes: Sequence[Axis]) -> Answer:
        clusters = [name for axis in axes for name in axis.clusters]
        lo, hi = float(bounds[0]), float(bounds[1])
        if not (isfinite(lo) and isfinite(hi)):
            return NotMeasured(f"{self.method} has no bounds: it is undefined in too many resamples", value)
        if lo == hi:
            return NotMeasured("it is the same whichever cluster is left out, so that its error is not known", value)
        return Estimate(
            value=value,
            lo=lo,
            hi=hi,
            level=self.level,
            method=self.method,
            unit="cluster",
            n=len(set(clusters)),
            n_effective=kish(clusters),
        )

    def _largest(self, found: Mapping[str, Answer]) -> Answer:
        effects = {axis.name: found[f"effect_size.{axis.name}"] for axis in self.axes}
        known = [answer for answer in effects.values() if isinstance(answer, Estimate)]
        if len(known) < len(effects):
            names = ", ".join(name for name, answer in effects.items() if isinstance(answer, NotMeasured))
            told = [abs(answer.value) for answer in effects.values() if answer.value is not None]
            reason = f"effect_size was not measured on {names}, where it may be largest"
            return NotMeasured(reason, max(told) if len(told) == len(effects) else None)
        bounds = bounds_of_largest(self.axes, known, self.level, self.resamples, self.seeds("bootstrap/largest"))
        return self._answer(max(abs(answer.value) for answer in known), bounds, self.axes)
