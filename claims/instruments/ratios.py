"""Ratios of sums over pairs, with intervals over clusters of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan

import numpy as np

from claims.instruments.answers import ANYWHERE, Answer, Asked, Range
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.means import places, sums_by


@dataclass(frozen=True)
class Ratios:
    """K quantities: sum of `numerator` (P, K) over sum of `denominator` (P,) for P pairs; 1 for a mean over pairs.

    `clusters` (P,) names each pair's. A sum of denominators that is 0 makes its ratio NaN.
    """

    numerator: Floats
    denominator: Floats
    clusters: tuple[str, ...]

    @classmethod
    def means(cls, values: Floats, clusters: Sequence[str]) -> Ratios:
        """The means over pairs of the columns of `values` (P, K)."""
        return cls(values, np.ones(len(clusters)), tuple(clusters))

    @cached_property
    def sample(self) -> ClusterSums:
        """The K ratios as statistics of the clusters, in order of their names."""
        return _Quotients(sums_by(np.vstack([self.denominator, self.numerator.T]), places(self.clusters)), _divided)

    @cached_property
    def values(self) -> Floats:
        """(K,)"""
        return self.sample.values()

    def bounds(self, level: float, low: float = -inf, high: float = inf) -> Floats:
        """The jackknife-t intervals (K, 2), widened, if need be, to hold the values.

        NaN where no error is known: leaving out any cluster changes nothing, but for rounding.
        """
        ends = by_cluster("jackknife_t", self.sample, level, None, 0, low, high)
        ends[ends[:, 0] == ends[:, 1]] = nan
        return ends

    def answers(self, asked: Asked, metrics: Sequence[str], within: Range = ANYWHERE, label: str = "") -> list[Answer]:
        """The estimate of each, whose `metrics` are named, or in words why there is none."""
        return asked.answers(metrics, self.sample, self.clusters, within, label)

    def answer(self, asked: Asked, metric: str, within: Range = ANYWHERE) -> Answer:
        """Of one ratio alone."""
        return asked.answer(metric, self.sample, self.clusters, within)


@dataclass(frozen=True)
class _Quotients(ClusterSums):
    def left_out(self) -> Floats:
        """(K, G). Added up from both ends rather than taken off the whole: sums of nothing but 0 stay 0."""
        nothing = np.zeros((len(self.sums), 1))
        before = np.hstack([nothing, self.sums[:, :-1].cumsum(axis=1)])
        after = np.hstack([self.sums[:, :0:-1].cumsum(axis=1)[:, ::-1], nothing])
        return self.statistics(before + after)


def _divided(totals: Floats) -> Floats:
    """(K, ...) from totals (1 + K, ...), the first of which is divided by; NaN where that is 0."""
    below = np.broadcast_to(totals[:1], totals[1:].shape)
    found: Floats = np.divide(totals[1:], below, out=np.full(below.shape, nan), where=below != 0)
    return found
