"""How far two rankings of components agree within one dimension, and how sure that is over clusters of pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from claims.instruments.grid import Floats, Grid, mean_of_joined
from claims.ranking import spearman

RankBy = Literal["abs", "signed", "signed_signed"]
Kept = NDArray[np.bool_]
SPLITS = 32


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
        grid, joined = self.grid, self.grid.joined & kept[:, None]
        differential = np.abs(grid.differential) if self.rank_by == "abs" else grid.differential
        effect = grid.effect if self.rank_by == "signed_signed" else np.abs(grid.effect)
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

    def moves(self, component: str, kept: Kept) -> float | None:
        """|mean effect| / |mean margin| over the pairs in which the component's patch could act."""
        index = self.grid.components.index(component)
        joined = kept & self.grid.joined[:, index]
        margin = abs(float(self.grid.margin[joined].sum()))
        return abs(float(self.grid.effect[joined, index].sum())) / margin if margin else None

    def reliability(self) -> tuple[float, float] | None:
        """Split-half reliability of the attribution and of the patching ranking.

        The mean Spearman correlation between the rankings of two halves of the clusters, over up to 31 fixed splits
        of which each half holds at least a third of the clusters, stepped up to the whole by Spearman and Brown's
        2 r / (1 + r) where it is positive. None with fewer than two clusters or where a half leaves a ranking
        undefined.
        """
        found = [self._halves(half) for half in self._splits()]
        defined = [pair for pair in found if pair is not None]
        if not found or len(defined) < len(found):
            return None
        attribution, patching = (sum(values) / len(values) for values in zip(*defined, strict=True))
        return _stepped_up(attribution), _stepped_up(patching)

    def _splits(self) -> Iterable[Kept]:
        """Walsh's: cluster number c is in the half that the parity of the bits of c and the mask says.

        Where the number of clusters is just above a power of two, some mask sets few of them against the rest; a
        ranking of few says little of one of half, so such splits are passed over.
        """
        clusters = self.clusters
        for mask in range(1, min(SPLITS, 1 << (len(clusters) - 1).bit_length())):
            first = {name for number, name in enumerate(clusters) if (number & mask).bit_count() % 2 == 0}
            if 3 * min(len(first), len(clusters) - len(first)) >= len(clusters):
                yield np.array([name in first for name in self.grid.clusters])

    def _halves(self, half: Kept) -> tuple[float, float] | None:
        first, second = self.values(half), self.values(~half)
        ranked = ~np.isnan(first[1]) & ~np.isnan(second[1])
        attribution, patching = (spearman(list(a[ranked]), list(b[ranked])) for a, b in zip(first, second, strict=True))
        return None if attribution is None or patching is None else (attribution, patching)


def kish(clusters: Iterable[str]) -> float:
    """How many equally sized clusters these are worth: (sum m)² / sum m² over cluster sizes m (Kish 1965)."""
    sizes = np.unique(list(clusters), return_counts=True)[1].astype(float)
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def _stepped_up(r: float) -> float:
    return 2 * r / (1 + r) if r > 0 else r
