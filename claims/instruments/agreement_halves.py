"""How far two rankings agree once the noise in them is allowed for, from halves of the clusters they are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import Floats
from claims.intervals.jackknife_t import jackknife_t
from claims.intervals.spread import ROUNDING
from claims.ranking import spearman, spearman_along

SPLITS = 32
# Deleted in turn. Of many clusters one alone moves few ranks, and those by whole steps: errors come out too large.
GROUPS = 12
# How far a correction for noise may fall short, as a share of it: the most that simulations showed (docs).
SHORT = 1 / 8


@dataclass(frozen=True)
class Rankings:
    """What ranks C components in each of G clusters, for R samples at once.

    `sums` (3, C, R, G): how many pairs were ranked both ways, the sum of what attribution ranks by, and of patching's.
    """

    sums: Floats

    @property
    def clusters(self) -> int:
        return int(self.sums.shape[-1])

    def means(self, weights: Floats) -> Floats:
        """(2, C, R, W), attribution's and patching's, of the clusters that `weights` (W, G) has in; NaN of none."""
        counts, totals = np.split(self.sums @ weights.T, [1])
        means: Floats = np.divide(totals, counts, out=np.full(totals.shape, nan), where=counts > 0)
        return means

    def rhos(self, weights: Floats) -> Floats:
        """(R, W), Spearman's rho between attribution and patching over the components ranked both ways."""
        return _spearman(*self.means(weights))

    def agreements(self, first: Floats, second: Floats) -> Floats:
        """(3, R, W): attribution's rho between halves, patching's, and the mean of either's with the other's.

        `first` and `second` (W, G) say which clusters the halves hold. What one pair did to both methods at once is in
        one half alone, so that it moves none of the three.
        """
        (a, b), (c, d) = self.means(first), self.means(second)
        found = _spearman(np.stack([a, b, a, b], axis=1), np.stack([c, d, d, c], axis=1))
        return np.stack([found[0], found[1], found[2:].mean(axis=0)])


@dataclass(frozen=True)
class Halved:
    """Rankings in halves of their clusters, means over splits.

    `within` (2, R) is how far halves agree by attribution and by patching, `across` (R,) how far one half's attribution
    agrees with the other's patching, `without` (R, K) that without each of K groups of clusters.
    """

    within: Floats
    across: Floats
    without: Floats

    @classmethod
    def of(cls, rankings: Rankings, kept: Floats) -> Halved:
        """`kept` (K, G) says which clusters are left as each group is deleted.

        Errors are of the mean over the splits by one binary digit alone: it varies no less than the mean over all.
        """
        splits, digits = halvings(rankings.clusters)
        if not len(splits):
            samples = rankings.sums.shape[2]
            return cls(np.full((2, samples), nan), np.full(samples, nan), np.full((samples, len(kept)), nan))
        attribution, patching, across = rankings.agreements(splits, 1 - splits).mean(axis=-1)
        first, second = ((kept[:, None] * half).reshape(-1, rankings.clusters) for half in (digits, 1 - digits))
        without = rankings.agreements(first, second)[2].reshape(len(across), len(kept), -1).mean(axis=-1)
        return cls(np.stack([attribution, patching]), across, without)

    @property
    def scale(self) -> Floats:
        """(R,), what noise leaves of a rho between rankings of halves (Spearman 1904).

        NaN where it leaves nothing, or a half ranks nothing, be it once a group is deleted.
        """
        known = (self.within.min(axis=0) > 0) & np.isfinite(self.without).all(axis=1)
        scale: Floats = np.sqrt(np.where(known, self.within.prod(axis=0), nan))
        return scale

    @property
    def reliabilities(self) -> Floats:
        """(2, R), of the whole: stepped up by Spearman and Brown's 2 r / (1 + r) where it is positive."""
        return np.where(self.within > 0, 2 * self.within / (1 + np.abs(self.within)), self.within)


def bounds(halved: Sequence[Halved], plain: Sequence[Floats], level: float) -> Floats:
    """The interval (R, 2) of the mean, over D dimensions, of the rho that rankings without noise would have.

    Student's t around the mean of `across` over `scale`, from the values without each group; then as much further from
    the mean of `plain` (R,) each, the rhos of the rankings as they are, as the correction may fall short, and widened
    to hold it. The rho of a dimension without a scale may be anything from -1 to 1. Without width where no group makes
    a difference.
    """
    known = np.isfinite([one.scale for one in halved])
    corrected = _mean(known, [one.across / one.scale for one in halved])
    without = _mean(known[..., None], [one.without / one.scale[:, None] for one in halved])
    rhos = _mean(known, plain)
    unknown, short, mean = 1 - known.mean(axis=0), SHORT * (corrected - rhos), np.mean(plain, axis=0)
    lo, hi = jackknife_t(corrected, without, level).T
    lo = np.minimum(mean, lo - unknown + np.minimum(short, 0))
    hi = np.maximum(mean, hi + unknown + np.maximum(short, 0))
    same = (np.ptp(without, axis=1) <= 2 * ROUNDING) & (unknown == 0)
    found: Floats = np.where(same[:, None], mean[:, None], np.clip(np.stack([lo, hi], axis=1), -1, 1))
    return found


def _mean(known: NDArray[np.bool_], values: Sequence[Floats]) -> Floats:
    """Over D dimensions, those that are not known counting as 0."""
    mean: Floats = np.where(known, np.array(values), 0.0).mean(axis=0)
    return mean


def halvings(clusters: int) -> tuple[Floats, Floats]:
    """Which clusters a first half holds, (W, G), by up to 31 fixed splits; and those of them by one binary digit alone.

    Walsh's: cluster number c is in the half that the parity of the bits of c and the mask says. Where the number of
    clusters is just above a power of two, some mask sets few of them against the rest; a ranking of few says little
    of one of half, so splits with less than a third of the clusters on one side are passed over.
    """
    masks = range(1, min(SPLITS, 1 << (clusters - 1).bit_length()))
    halves = {mask: [(number & mask).bit_count() % 2 == 0 for number in range(clusters)] for mask in masks}
    kept = {mask: half for mask, half in halves.items() if 3 * min(sum(half), clusters - sum(half)) >= clusters}
    digits = [half for mask, half in kept.items() if mask.bit_count() == 1]
    first, second = (np.array(chosen, dtype=float).reshape(-1, clusters) for chosen in (list(kept.values()), digits))
    return first, second


def without_groups(clusters: int) -> Floats:
    """(K, G), which clusters are left as each group is deleted: every twelfth one is in the same."""
    group = np.arange(clusters) % GROUPS
    kept: Floats = (group != np.arange(min(clusters, GROUPS))[:, None]).astype(float)
    return kept


def _spearman(first: Floats, second: Floats) -> Floats:
    """Of columns (C, ...), over the components that have a value in both; NaN where it is not defined."""
    found: Floats = spearman_along(first, second)
    missing = np.isnan(first) | np.isnan(second)
    for column in np.argwhere(missing.any(axis=0)):
        at = (slice(None), *column)
        both = ~missing[at]
        rho = spearman(list(first[at][both]), list(second[at][both]))
        found[tuple(column)] = nan if rho is None else rho
    return found
