"""AUROCs over pairs of scored texts, of many studies at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from claims.intervals.aurocs import Aurocs
from claims.intervals.cluster_sums import Floats
from claims.intervals.placements import Placements, Side

_NOTHING = Side(*(np.zeros(0, dtype=np.int64),) * 3)


@dataclass(frozen=True)
class _Placed(Placements):
    """Of rows that are in once each, and were counted before."""

    counted: tuple[Floats, Floats]

    def by_cluster(self, counts: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002  # all are one
        return self.counted


@dataclass(frozen=True)
class Studies(Aurocs):
    """R studies, each a scorer of the same n units of pairs; scores are never equal. By jackknife or by DeLong."""

    @classmethod
    def of_scores(cls, scores: Floats) -> Studies:
        """From scores (R, 2, n, pairs), of chosen texts and of rejected ones."""
        studies, _, n, pairs = scores.shape
        place = np.tile(np.repeat(np.arange(n), pairs), 2)
        return cls(scores.reshape(studies, -1), np.arange(2 * n * pairs) < n * pairs, place)

    def values(self) -> Floats:
        found: Floats = self._in_order[0].sum(axis=1) / (len(self.place) / 2) ** 2
        return found

    def left_out(self) -> Floats:
        above, below = self._in_order
        without = above.sum(axis=1, keepdims=True) - above - below + self._within
        left: Floats = without / (len(self.place) / 2 - len(self.place) / 2 / self.clusters) ** 2
        return left

    @cached_property
    def placements(self) -> tuple[Placements, ...]:
        parts = zip(*self._in_order, self._within, strict=True)
        return tuple(
            _Placed(_NOTHING, _NOTHING, self.clusters, within, (above[None], below[None]))
            for above, below, within in parts
        )

    @cached_property
    def _in_order(self) -> tuple[Floats, Floats]:
        """(R, n) twice: pairs of texts in order that each unit's chosen texts are in, and its rejected ones."""
        order, rows = self.scores.argsort(axis=1), self.scores.shape[1] // 2
        chosen = order < rows
        before = np.where(chosen, np.cumsum(~chosen, axis=1), rows - np.cumsum(chosen, axis=1))
        counts = np.empty(order.shape)
        np.put_along_axis(counts, order, before.astype(float), axis=1)
        above, below = counts.reshape(len(order), 2, self.clusters, -1).sum(axis=-1).swapaxes(0, 1)
        return above, below

    @cached_property
    def _within(self) -> Floats:
        """(R, n), those of texts of one unit."""
        chosen, rejected = self.scores.reshape(len(self.scores), 2, self.clusters, -1).swapaxes(0, 1)
        found: Floats = (chosen[..., :, None] > rejected[..., None, :]).sum(axis=(-2, -1)).astype(float)
        return found
