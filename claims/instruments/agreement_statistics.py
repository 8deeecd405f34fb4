"""How far two rankings of components agree within one dimension, and how sure that is over clusters of pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from claims.instruments.agreement_halves import Halved, Rankings, without_groups
from claims.instruments.grid import Floats, Grid, mean_of_joined
from claims.intervals.means import places
from claims.ranking import spearman

RankBy = Literal["abs", "signed", "signed_signed"]
Kept = NDArray[np.bool_]


@dataclass(frozen=True)
class Ranked:
    """One dimension's pairs, ranked as `rank_by` says: abs, mean |differential| against mean |effect|; signed, mean
    differential against mean |effect|; signed_signed, mean differential against mean effect.
    """

    grid: Grid
    rank_by: RankBy

    @property
    def clusters(self) -> list[str]:
        return sorted(set(self.grid.clusters))

    def everything(self) -> Kept:
        return np.ones(len(self.grid.pairs), dtype=bool)

    def without(self, cluster: str) -> Kept:
        return np.array([name != cluster for name in self.grid.clusters])

    def values(self, kept: Kept) -> tuple[Floats, Floats]:
        """What each component (C,) is ranked by, from the kept pairs; NaN where no patch of it could act."""
        differential, effect = self._ranked_by()
        joined = self.grid.joined & kept[:, None]
        return mean_of_joined(differential, joined), mean_of_joined(effect, joined)

    def rho(self, kept: Kept) -> float | None:
        """Spearman's rho over the components ranked both ways; None when it is not defined."""
        attribution, patching = self.values(kept)
        both = ~np.isnan(patching)
        return spearman(list(attribution[both]), list(patching[both]))

    def top_attribution(self, kept: Kept) -> str | None:
        """The component that ranks first by attribution in the kept pairs, among those ranked both ways there."""
        attribution, _ = self.values(kept)
        return None if np.isnan(attribution).all() else self.grid.components[int(np.nanargmax(attribution))]

    @cached_property
    def rankings(self) -> Rankings:
        """One sample's, over the clusters in order of their names, and the components ranked both ways."""
        grid = self.grid
        place, ranked = places(grid.clusters), grid.joined.any(axis=0)
        joined = grid.joined[:, ranked]
        sums = np.zeros((3, len(self.clusters), int(ranked.sum())))
        for total, values in zip(
            sums, (np.ones(joined.shape), *(of[:, ranked] for of in self._ranked_by())), strict=True
        ):
            np.add.at(total, place, np.where(joined, values, 0.0))
        return Rankings(np.moveaxis(sums, 1, 2)[:, :, None])

    @cached_property
    def halved(self) -> Halved:
        """Of this dimension alone."""
        return Halved.of(self.rankings, without_groups(len(self.clusters)))

    def reliability(self) -> tuple[float, float] | None:
        """Split-half reliability of the attribution and of the patching ranking.

        The mean Spearman correlation between the rankings of two halves of the clusters, over up to 31 fixed splits
        of which each half holds at least a third of the clusters, stepped up to the whole by Spearman and Brown's
        2 r / (1 + r) where it is positive. None with fewer than two clusters or where a half leaves a ranking
        undefined.
        """
        attribution, patching = self.halved.reliabilities[:, 0].tolist()
        return None if isnan(attribution) or isnan(patching) else (attribution, patching)

    def _ranked_by(self) -> tuple[Floats, Floats]:
        """(P, C) each: of what the means rank components, by attribution and by patching."""
        differential = np.abs(self.grid.differential) if self.rank_by == "abs" else self.grid.differential
        effect = self.grid.effect if self.rank_by == "signed_signed" else np.abs(self.grid.effect)
        return differential, effect
