"""Means over organisms of how well rankings of 17 components find 3 of them: one value an organism, bounded, discrete.

Each method scores a component by a normal of variance 1, moved by d where the component is in the key; d varies from
organism to organism with a standard deviation of 0.5, so that an organism's AUROC, a multiple of 1 / 42, has the mean
Phi(d / sqrt(2.25)). The two methods' scores are correlated by 0.5. Spearman's rho is of 16 components, its mean by
Moran (1948).
"""

from functools import partial
from itertools import product

import numpy as np
from scipy.stats import norm

from tests.bench.coverage.packs import GAP, OVER_CLUSTERS, SHARE, at_once, pack_means, packed
from tests.bench.coverage.scenarios import CLUSTERS, Scenario

KEY, OTHERS, SPREAD, SHARED = 3, 14, 0.5, 0.5
AUROCS = (0.75, 0.9, 0.97)
# Mean AUROCs of patching and of attribution.
GAPS = ((0.8, 0.9), (0.9, 0.9), (0.9, 0.8))
RHO = 0.5


def scenarios():
    for truth, clusters in product(AUROCS, CLUSTERS):
        yield _scenario("organism_auroc", truth, clusters, partial(aurocs, (truth,)), SHARE)
    for (patching, attribution), clusters in product(GAPS, CLUSTERS):
        yield _scenario("organism_gap", patching - attribution, clusters, partial(gaps, (patching, attribution)), GAP)
    components = KEY + OTHERS - 1
    expected = 6 / (np.pi * (components + 1)) * (np.arcsin(RHO) + (components - 2) * np.arcsin(RHO / 2))
    for clusters in CLUSTERS:
        yield _scenario("organism_spearman", float(expected), clusters, partial(spearmans, components), GAP)


def _scenario(metric, truth, clusters, values, within):
    def draw(rng, replicates):
        return pack_means(values(rng, (replicates, clusters))[..., None])

    return Scenario(
        metrics=(metric,),
        truths=(truth,),
        distribution="organisms",
        size=1,
        clusters=clusters,
        methods=("student_t", *OVER_CLUSTERS),
        bounds=packed(draw, within),
        at_once=at_once(clusters),
    )


def aurocs(truths, rng, shape):
    """(R, G), of one method."""
    return next(_aurocs(truths, rng, shape))


def gaps(truths, rng, shape):
    first, second = _aurocs(truths, rng, shape)
    return first - second


def _aurocs(truths, rng, shape):
    shared = rng.normal(size=(*shape, KEY + OTHERS))
    for truth in truths:
        moved = norm.ppf(truth) * np.sqrt(2 + SPREAD**2) + SPREAD * rng.normal(size=(*shape, 1))
        scores = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * rng.normal(size=shared.shape)
        yield auroc_of(scores[..., :KEY] + moved, scores[..., KEY:])


def auroc_of(key, others):
    """Of scores (..., 3) and (..., 14), which are never tied."""
    return (key[..., None] > others[..., None, :]).mean(axis=(-1, -2))


def spearmans(components, rng, shape):
    first = rng.normal(size=(*shape, components))
    return spearman_of(first, RHO * first + np.sqrt(1 - RHO**2) * rng.normal(size=first.shape))


def spearman_of(first, second):
    """Of scores (..., components), which are never tied."""
    n = first.shape[-1]
    one, other = (scores.argsort(axis=-1).argsort(axis=-1) - (n - 1) / 2 for scores in (first, second))
    return (one * other).sum(axis=-1) / (n * (n**2 - 1) / 12)
