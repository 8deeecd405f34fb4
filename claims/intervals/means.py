"""Means and shares over rows in clusters, as samples that say how much each cluster weighs in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import ClusterSums, Floats

Labels = Sequence[str] | Sequence[int] | NDArray[np.int64] | NDArray[np.str_]


@dataclass(frozen=True)
class Means(ClusterSums):
    """Means of which it is known how much each cluster weighs in them, `weights` (G,).

    `rows` is the effective number of rows, were they independent: as many as there are, where they weigh the same.
    `plain` says that each statistic is a sum over clusters divided by the sum of their weights, nothing else.
    """

    weights: Floats
    rows: float
    plain: bool

    @classmethod
    def over(cls, values: Floats, clusters: Labels) -> Means:
        """The means of `values` (M, R) over R rows, whose clusters are named."""
        place = places(clusters)
        sums = sums_by(np.vstack([np.ones(len(place)), values]), place)
        return cls(sums, _divided, weights=sums[0], rows=len(place), plain=True)

    @classmethod
    def over_groups(cls, values: Floats, groups: Labels, clusters: Labels) -> Means:
        """The mean over D groups of each one's mean of `values` (R,): M = 1. A cluster may be in several groups."""
        group, place = places(groups), places(clusters)
        within = np.arange(int(group.max()) + 1)[:, None] == group
        sizes, totals = (sums_by(np.where(within, row, 0.0), place) for row in (1.0, values))

        def statistic(both: Floats) -> Floats:
            means: Floats = _divided(both.reshape(2, len(sizes), *both.shape[1:])).mean(axis=1)
            return means

        of_group = sizes.sum(axis=1, keepdims=True)
        weights, rows = (sizes / of_group).sum(axis=0), len(sizes) ** 2 / float((1 / of_group).sum())
        return cls(np.concatenate([sizes, totals]), statistic, weights, rows, plain=len(sizes) == 1)


def places(clusters: Labels) -> NDArray[np.int64]:
    """(R,), the number of each row's cluster, from 0, by the order of their names."""
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)


def cluster_sizes(clusters: Labels) -> Floats:
    """(G,), how many rows each cluster has, by the order of their names."""
    return np.bincount(places(clusters)).astype(float)


def kish(weights: Floats) -> float:
    """How many clusters of one weight clusters of these (G,) are worth: (sum w)² / sum w² (Kish 1965)."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def sums_by(values: Floats, place: NDArray[np.int64]) -> Floats:
    """(S, G), the sums over each cluster of `values` (S, R), whose columns are rows of the clusters at `place`."""
    count = int(place.max()) + 1
    return np.stack([np.bincount(place, weights=row, minlength=count) for row in values])


def _divided(totals: Floats) -> Floats:
    """(M, ...) means from totals (1 + M, ...), the first of which are weights; NaN of nothing."""
    with np.errstate(all="ignore"):
        means: Floats = totals[1:] / totals[:1]
    return means
