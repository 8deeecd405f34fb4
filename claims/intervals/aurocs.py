"""How well scorers tell positives from negatives, over labelled rows in clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import Floats, errors_within
from claims.intervals.means import Labels, places
from claims.intervals.placements import Placements


@dataclass(frozen=True)
class Aurocs:
    """The AUROC of each of K scorers, ties one half; for two scorers also the second's less the first's: M statistics.

    R rows: `scores` (K, R), whether each row is `positive` (R,), and `place` (R,), its cluster's number from 0. An
    AUROC is NaN where there are no positives or no negatives.
    """

    scores: Floats
    positive: NDArray[np.bool_]
    place: NDArray[np.int64]

    @classmethod
    def over(cls, scores: Floats, positive: NDArray[np.bool_], clusters: Labels) -> Aurocs:
        """Of rows whose clusters are named."""
        return cls(scores, positive, places(clusters))

    def __post_init__(self) -> None:
        rows = self.scores.shape[1:]
        if self.scores.ndim != 2 or self.positive.shape != rows or self.place.shape != rows:  # noqa: PLR2004
            raise ValueError("scores (K, R) go with R labels and the clusters of R rows")
        if not np.isfinite(self.scores).all():
            raise ValueError("a score that is not finite has no rank")

    @property
    def scorers(self) -> int:
        return len(self.scores)

    @cached_property
    def clusters(self) -> int:
        return int(self.place.max()) + 1

    @property
    def held(self) -> int:
        """Numbers that a resample takes in `of`."""
        return self.clusters if self.placements[0].few else max(self.clusters, len(self.place))

    @property
    def held_within(self) -> int:
        """Numbers that a resample takes in `errors_of`."""
        return self.held

    @cached_property
    def placements(self) -> tuple[Placements, ...]:
        """Of each scorer."""
        return tuple(Placements.of(row, self.positive, self.place, self.clusters) for row in self.scores)

    @cached_property
    def sizes(self) -> Floats:
        """(2, G), each cluster's positives and negatives."""
        labels = (self.positive, ~self.positive)
        return np.stack([np.bincount(self.place, weights=own, minlength=self.clusters) for own in labels])

    def values(self) -> Floats:
        """(M,)"""
        return self.of(np.ones((1, self.clusters)))[:, 0]

    def left_out(self) -> Floats:
        """(M, G), without each cluster in turn."""
        return self._without(np.ones((1, self.clusters)))[:, 0]

    def of(self, counts: Floats) -> Floats:
        """(M, B), where `counts` (B, G) says how often each cluster is in."""
        positives, negatives = self.sizes @ counts.T
        return self._statistics(np.stack([own.in_order(counts) for own in self.placements]), positives * negatives)

    def errors_of(self, counts: Floats) -> Floats:
        """(M, B), the jackknife's standard error within each of the samples that `counts` (B, G) describes."""
        return errors_within(self._without(counts), counts)

    def _without(self, counts: Floats) -> Floats:
        """(M, B, G), without one copy of each cluster."""
        positives, negatives = (self.sizes @ counts.T)[:, :, None] - self.sizes[:, None, :]
        pairs = np.empty((self.scorers, *counts.shape))
        for own, rest in zip(self.placements, pairs, strict=True):
            # What the copy's pairs with itself are counted twice by, once as positives' and once as negatives'.
            rest[:] = own.in_order(counts)[:, None] - sum(own.by_cluster(counts)) + own.within
        return self._statistics(pairs, positives * negatives)

    def _statistics(self, in_order: Floats, pairs: Floats) -> Floats:
        aurocs = np.divide(in_order, pairs, out=np.full(in_order.shape, np.nan), where=pairs > 0)
        return np.concatenate([aurocs, aurocs[1:] - aurocs[:1]]) if self.scorers == 2 else aurocs  # noqa: PLR2004
