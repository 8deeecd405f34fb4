"""The AUROC of one scorer over rows in clusters: chosen and rejected texts of pairs, as positives and negatives.

A row's score has variance 1: 0.3 of its cluster, 0.2 of its pair, the rest its own; positives are moved. Each part is
normal, or of a gamma where scores are skewed. Discrete scores are normal, then rounded to whole standard deviations, so
that many are tied. Truths are of rows in two clusters.
"""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

from claims.intervals.aurocs import Aurocs
from tests.bench.coverage.packs import SHARE, Remembering, one_by_one
from tests.bench.coverage.populations import GAMMA, WHOLE, standard
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

SHARES = (0.3, 0.2, 0.5)
MOVED = (0.95, 1.8)  # AUROCs of 0.75 and 0.90
METHODS = ("delong", "jackknife_t", "percentile")
FEW = (8, 20, 50)


def scenarios():
    for distribution, moved, size, clusters in product(("normal", "skewed", "discrete"), MOVED, SIZES, CLUSTERS):
        # Ranks of resamples take the longest of all, and what they say of clusters of 1 is clear enough.
        resampled = (distribution, size) == ("normal", 1) and clusters in FEW
        methods = METHODS if resampled else METHODS[:-1]
        yield Scenario(
            metrics=("auroc",),
            truths=(auroc(distribution, moved),),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=methods,
            bounds=one_by_one(partial(draw, distribution, moved, size, clusters), SHARE),
        )


@dataclass(frozen=True)
class _Aurocs(Remembering, Aurocs):
    pass


def draw(distribution, moved, size, clusters, rng, _):
    """Of `size` pairs in each cluster."""
    of_cluster, of_pair, own = (
        np.sqrt(share) * standard(distribution, shape, rng)
        for share, shape in zip(SHARES, ((clusters, 1, 1), (clusters, size, 1), (clusters, size, 2)), strict=True)
    )
    positive = np.broadcast_to([True, False], own.shape)
    scores = of_cluster + of_pair + own + moved * positive
    scores = np.round(scores) if distribution == "discrete" else scores
    place = np.broadcast_to(np.arange(clusters)[:, None, None], own.shape)
    return _Aurocs(scores.reshape(1, -1), positive.ravel(), place.ravel())


def auroc(distribution, moved):
    """Of rows in clusters of their own, by the distribution of a score."""
    if distribution == "normal":
        return float(norm.cdf(moved / np.sqrt(2)))
    if distribution == "skewed":
        return _of_gammas(moved)
    ends = np.append(WHOLE - 0.5, WHOLE[-1] + 0.5)
    of_positives, of_negatives = (np.diff(norm.cdf(ends, loc=shift)) for shift in (moved, 0))
    below = np.cumsum(of_negatives) - of_negatives / 2
    return float(of_positives @ below)


def _of_gammas(moved):
    """Gil-Pelaez 1951: less the shift, the difference of two rows is symmetric, its characteristic function real."""

    def density(t):
        return moved * np.sinc(moved * t / np.pi) * np.prod(1 + np.array(SHARES) * t**2 / GAMMA) ** -GAMMA

    return float(0.5 + quad(density, 0, np.inf)[0] / np.pi)
