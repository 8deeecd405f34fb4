"""How often each labelled row of one scorer is on the right side of rows of the other label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import HELD, Floats

Ints = NDArray[np.int64]
# As many products of a pair of clusters as take a processor the time of one row's way through `Side.above`.
PAIRS_A_ROW = 64
# Of more clusters, pairs would take more memory than a resample's rows do, and more time than many resamples.
MOST = 512


@dataclass(frozen=True)
class Side:
    """n rows of one label by ascending score, those of the other label being m.

    `place` (n,) is each row's cluster; `below` and `upto` (n,) how many of the others score below it, and at most it.
    """

    place: Ints
    below: Ints
    upto: Ints

    def above(self, counts: Floats, other: Side) -> Floats:
        """(b, n), how many of the others each row scores above, ties one half, where clusters are in `counts` times."""
        others = np.zeros((len(counts), len(other.place) + 1))
        np.cumsum(counts[:, other.place], axis=1, out=others[:, 1:])
        above = others[:, self.upto]
        if not np.array_equal(self.below, self.upto):
            above += others[:, self.below]
            above /= 2
        return above


@dataclass(frozen=True)
class Placements:
    """One scorer's positives and negatives in G clusters.

    All counts are multiples of one half, so that sums of them are exact in any order, and both ways of counting, row by
    row or pair of clusters by pair of clusters, agree to the last bit.
    """

    positives: Side
    negatives: Side
    clusters: int
    within: Floats
    """(G,), the pairs within each cluster that are in order."""

    @classmethod
    def of(cls, scores: Floats, positive: NDArray[np.bool_], place: Ints, clusters: int) -> Placements:
        """From the scores (R,) of rows, their labels (R,) and the clusters (R,) that they are in."""
        level = np.unique(scores, return_inverse=True)[1].astype(np.int64)
        order = np.argsort(level, kind="stable")
        up, down = order[positive[order]], order[~positive[order]]
        positives, negatives = _side(place[up], level[up], level[down]), _side(place[down], level[down], level[up])
        # Levels that no two clusters share: only rows of one cluster are then compared.
        own = place * (int(level.max()) + 1) + level
        first = place * (int(level.max()) + 1)
        rivals = np.sort(own[down])
        above = _halved(rivals, own[up]) - np.searchsorted(rivals, first[up])
        within = np.bincount(place[up], weights=above, minlength=clusters).astype(float)
        return cls(positives, negatives, clusters, within)

    @property
    def few(self) -> bool:
        """Whether clusters are so few that of many samples at once it is pairs of clusters that are counted."""
        rows = len(self.positives.place) + len(self.negatives.place)
        return self.clusters <= MOST and self.clusters**2 <= PAIRS_A_ROW * rows

    @cached_property
    def of_pairs(self) -> Floats:
        """(G, G), the pairs in order of each cluster's positives with each one's negatives."""
        each, at_a_time = np.eye(self.clusters), max(1, HELD // max(1, len(self.positives.place)))
        chunks = [each[first : first + at_a_time] for first in range(0, self.clusters, at_a_time)]
        above = [self._summed(self.positives.above(one, self.negatives), self.positives) for one in chunks]
        return np.concatenate(above).T

    def in_order(self, counts: Floats) -> Floats:
        """(b,), how many pairs of a positive and a negative are in order, ties one half."""
        if self.few and len(counts) > 1:
            of_few: Floats = np.einsum("bg,bg->b", counts @ self.of_pairs, counts)
            return of_few
        above = self.positives.above(counts, self.negatives)
        pairs: Floats = np.einsum("bn,bn->b", counts[:, self.positives.place], above)
        return pairs

    def by_cluster(self, counts: Floats) -> tuple[Floats, Floats]:
        """(b, G) twice: pairs in order that one copy of each cluster's positives is in, and of its negatives."""
        if self.few and len(counts) > 1:
            return counts @ self.of_pairs.T, counts @ self.of_pairs
        above = self.positives.above(counts, self.negatives)
        positives = counts[:, self.positives.place].sum(axis=1, keepdims=True)
        below = positives - self.negatives.above(counts, self.positives)
        return self._summed(above, self.positives), self._summed(below, self.negatives)

    def _summed(self, values: Floats, side: Side) -> Floats:
        cells = side.place + self.clusters * np.arange(len(values))[:, None]
        sums = np.bincount(cells.ravel(), weights=values.ravel(), minlength=len(values) * self.clusters).astype(float)
        return sums.reshape(len(values), self.clusters)


def _halved(others: Ints, values: Ints) -> Floats:
    """How many of `others`, in order, lie below each of `values`, half of those at it among them."""
    return (np.searchsorted(others, values, side="left") + np.searchsorted(others, values, side="right")) / 2


def _side(place: Ints, own: Ints, others: Ints) -> Side:
    below, upto = np.searchsorted(others, own, side="left"), np.searchsorted(others, own, side="right")
    return Side(place, below, below if np.array_equal(below, upto) else upto)
