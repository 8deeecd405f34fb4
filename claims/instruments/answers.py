"""Estimates with the interval that was registered for them, or in words why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan

import numpy as np

from claims.evidence import Estimate
from claims.instruments.manifest import Manifest
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import Floats
from claims.intervals.means import cluster_sizes, kish
from claims.intervals.sample import Sample
from claims.intervals.spread import differ
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import IntervalMethod, Registration
from claims.seeds import Seeds

Answer = Estimate | str
Range = tuple[float, float]

ANYWHERE: Range = (-inf, inf)
NO_SPREAD = "leaving out any cluster changes nothing, so no error is known"
OF_NOTHING = "it is a share of a sum that is 0"


@dataclass(frozen=True)
class NotMeasured:
    """Why there is no estimate; `value`, where the sample has one to which no interval can be given."""

    reason: str
    value: float | None = None

    @property
    def said(self) -> str:
        """In words that keep the value."""
        return self.reason if self.value is None else in_sample(self.value, self.reason)


@dataclass(frozen=True)
class Asked:
    """The interval that a registration asks of an instrument: how it is made, at which level, from which draws."""

    manifest: Manifest
    method: IntervalMethod
    level: float
    resamples: int | None
    seeds: Seeds

    @classmethod
    def by(cls, registration: Registration, manifest: Manifest, seeds: Seeds) -> Asked:
        analysis = registration.analysis
        return cls(manifest, analysis.interval, registration.level, analysis.resamples, seeds)

    @property
    def unbounded(self) -> str:
        """Why a bootstrap gives no bounds to what has a spread."""
        if self.method == "bca":
            return "too many resamples are undefined, or lie on one side of the value, for its correction"
        return "it is undefined in too many resamples"

    def too_few(self, metric: str, units: int, found: str = "its pairs form {} independent clusters") -> str:
        """Why so many independent units are too few for the metric's interval; nothing where they are enough."""
        fewest = self.manifest.fewest(self.method, metric)
        if fewest is not None and units >= fewest:
            return ""
        needed = {method: self.manifest.fewest(method, metric) for method in self.manifest.intervals}
        others = " or ".join(f"{method} from {number}" for method, number in needed.items() if number is not None)
        return f"{found.format(units)}; an interval for it is offered by {others or 'no method'}"

    def judged(
        self,
        metrics: Sequence[str],
        sample: Sample,
        clusters: Sequence[str],
        within: Range = ANYWHERE,
        *,
        label: str = "",
        undefined: str = OF_NOTHING,
    ) -> list[Estimate | NotMeasured]:
        """For each of the sample's statistics, whose `metrics` are named, the estimate, or why there is none.

        `clusters` names each pair's. What a bootstrap draws is drawn by the seed `bootstrap/<label>`, that of the first
        metric if none is given. `undefined` says why a statistic would be none.
        """
        few = [self.too_few(metric, sample.clusters) for metric in metrics]
        values, bounds = sample.values(), np.full((len(metrics), 2), nan)
        if not all(few):
            seed = self.seeds(f"bootstrap/{label or metrics[0]}")
            bounds = by_cluster(self.method, sample, self.level, self.resamples, seed, *within)
        found: list[Estimate | NotMeasured] = []
        for place, value in enumerate(values.tolist()):
            if not isfinite(value):
                found.append(NotMeasured(undefined))
            elif why := few[place] or self._why_not(bounds[place], sample, place, within, clusters):
                found.append(NotMeasured(why, value))
            else:
                found.append(self.estimated(value, bounds[place], clusters))
        return found

    def answers(
        self, metrics: Sequence[str], sample: Sample, clusters: Sequence[str], within: Range = ANYWHERE, label: str = ""
    ) -> list[Answer]:
        """The same, in words that keep the value where there is no estimate."""
        judged = self.judged(metrics, sample, clusters, within, label=label)
        return [one.said if isinstance(one, NotMeasured) else one for one in judged]

    def answer(self, metric: str, sample: Sample, clusters: Sequence[str], within: Range = ANYWHERE) -> Answer:
        """Of a sample with one statistic."""
        (found,) = self.answers([metric], sample, clusters, within)
        return found

    def estimated(self, value: float, bounds: Floats | Range, clusters: Sequence[str]) -> Estimate:
        return estimated(value, (float(bounds[0]), float(bounds[1])), self.level, clusters, self.method)

    def _why_not(self, bounds: Floats, sample: Sample, place: int, within: Range, clusters: Sequence[str]) -> str:
        """What keeps bounds from being an interval; nothing where they are one."""
        lo, hi = bounds
        if isfinite(lo) and isfinite(hi) and lo < hi:
            return ""
        left_out = sample.left_out()[place]
        undefined = np.flatnonzero(np.isnan(left_out))
        if len(undefined):
            return f"it is not defined without the cluster {sorted(set(clusters))[undefined[0]]!r}"
        if lo == hi or not differ(left_out, *within):
            return NO_SPREAD
        if self.method == "delong":
            return "at 0 and at 1, or where one cluster holds all of a label, its error is not known"
        if self.method not in BOOTSTRAPS:
            return "it reaches an end of its range with some cluster left out, so no error is known"
        return f"{self.method} has no bounds: {self.unbounded}"


def in_sample(value: float, why: str) -> str:
    """Why a value has no interval, in words that keep the value."""
    return f"it is {value:.6g} in this sample, without an interval: {why}"


def estimated(value: float, bounds: Range, level: float, clusters: Sequence[str], method: IntervalMethod) -> Estimate:
    """An estimate over pairs of these clusters; `n` counts the clusters, `n_effective` is Kish's."""
    return Estimate(
        value=value,
        lo=bounds[0],
        hi=bounds[1],
        level=level,
        method=method,
        unit="cluster",
        n=len(set(clusters)),
        n_effective=kish(cluster_sizes(clusters)),
    )
