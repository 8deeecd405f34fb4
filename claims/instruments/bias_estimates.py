"""From each axis to estimates with intervals over clusters, or to why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from claims.evidence import Estimate
from claims.instruments.answers import Asked, NotMeasured
from claims.instruments.bias_largest import bounds_of_largest
from claims.instruments.bias_statistics import Axis, length_effects
from claims.intervals.cluster_sums import ClusterSums
from claims.intervals.spread import differ

Judged = Estimate | NotMeasured

PER_AXIS = ("mean_delta", "effect_size", "length_adjusted_delta")
OF_LENGTH = ("length_slope", "length_effect_size")
LARGEST = "max_abs_effect_size"


@dataclass(frozen=True)
class Battery:
    """The axes measured, and how every interval is made, drawn by `bootstrap/axis/<axis>`, `/axes` and `/largest`."""

    axes: Sequence[Axis]
    asked: Asked

    def answers(self) -> dict[str, Judged]:
        """By metric: its estimate, or why it was not measured."""
        found = dict(self._of_axes())
        names = sorted({name for axis in self.axes for name in axis.names})
        pooled = ClusterSums(np.concatenate([axis.moments(names) for axis in self.axes]), length_effects)
        undefined = "length differences are equal within every axis, or deltas follow from them exactly"
        clusters = [name for axis in self.axes for name in axis.clusters]
        of_length = self.asked.judged(OF_LENGTH, pooled, clusters, label="axes", undefined=undefined)
        found |= dict(zip(OF_LENGTH, of_length, strict=True))
        found[LARGEST] = self._largest(found)
        return found

    def _of_axes(self) -> Iterator[tuple[str, Judged]]:
        undefined = "its length differences are all equal, so that nothing can be told from length"
        for axis in self.axes:
            metrics = [f"{metric}.{axis.name}" for metric in PER_AXIS]
            label = f"axis/{axis.name}"
            judged = self.asked.judged(metrics, axis.effects(), axis.clusters, label=label, undefined=undefined)
            equal = not differ(axis.deltas, -inf, inf)
            for metric, answer in zip(metrics, judged, strict=True):
                if equal and isinstance(answer, NotMeasured):
                    reason = "its deltas are all equal: nothing says how far they might vary"
                    yield metric, NotMeasured(reason, answer.value)
                else:
                    yield metric, answer

    def _largest(self, found: Mapping[str, Judged]) -> Judged:
        effects = {axis.name: found[f"effect_size.{axis.name}"] for axis in self.axes}
        known = [answer for answer in effects.values() if isinstance(answer, Estimate)]
        if len(known) < len(effects):
            names = ", ".join(name for name, answer in effects.items() if isinstance(answer, NotMeasured))
            told = [abs(answer.value) for answer in effects.values() if answer.value is not None]
            reason = f"effect_size was not measured on {names}, where it may be largest"
            return NotMeasured(reason, max(told) if len(told) == len(effects) else None)
        value = max(abs(answer.value) for answer in known)
        if few := self.asked.too_few(LARGEST, min(len(axis.names) for axis in self.axes)):
            return NotMeasured(few, value)
        seed = self.asked.seeds("bootstrap/largest")
        lo, hi = bounds_of_largest(self.axes, known, self.asked.level, self.asked.resamples, seed)
        if not (isfinite(lo) and isfinite(hi)):
            return NotMeasured(f"{self.asked.method} has no bounds: {self.asked.unbounded}", value)
        return self.asked.estimated(value, (lo, hi), [name for axis in self.axes for name in axis.clusters])
