"""Spearman's rho between two rankings of components, its mean over dimensions, and how many dimensions have it below 0.

Named by how units are distributed and how reliable both rankings are: "skewed at 0.7". A threshold other than 0 is
decided from a reliability of 0.5 up, so truths other than 0 are of such rankings; at 0 any will do.
"""

from functools import partial
from itertools import product

import numpy as np

from claims.instruments.agreement_halves import Halved, Rankings, bounds, without_groups
from claims.intervals.cluster_sums import ClusterSums
from tests.bench.coverage.packs import measured, packed
from tests.bench.coverage.rho_populations import Population
from tests.bench.coverage.scenarios import CLUSTERS, LEVELS, SIZES, Scenario

USUAL = Population("normal", 0.9)
CELLS = (
    *product((USUAL, Population("skewed", 0.7), Population("discrete", 0.9)), (0.0, 0.3, 0.8), CLUSTERS, SIZES),
    *product((Population("normal", 0.5), Population("normal", 0.5, shared=-0.5)), (0.3, 0.8), (8,), (1,)),
    *product((Population("normal", 0.2), Population("normal", 0.5, shared=0.9)), (0.0,), (8,), (1,)),
    # As a pair's exact effect and its estimate are disturbed by the same noise: `rank_agreement`.
    *product((Population("normal", 0.5, shared=0.9), Population("normal", 0.9, shared=0.9)), (0.8,), (8, 20), (1,)),
    *product((Population("normal", 0.9, components=16),), (0.0, 0.8), (8,), (1,)),
)
# Dimensions, and clusters in each.
DIMENSIONS = ((2, 4), (4, 4), (4, 8))
NEGATIVE = (-0.3, -0.3, 0.3, 0.3)


def scenarios():
    for population, truth, clusters, size in CELLS:
        drawn = (population, [truth], clusters, size)
        yield _scenario("rho", truth, clusters, drawn, partial(_of_mean, drawn))
    for (dimensions, clusters), truth in product(DIMENSIONS, (0.0, 0.8)):
        drawn = (USUAL, [truth] * dimensions, clusters, 1)
        yield _scenario("mean_rho", truth, dimensions * clusters, drawn, partial(_of_mean, drawn))
    drawn = (USUAL, NEGATIVE, 8, 1)
    yield _scenario("negative_dimensions", 2.0, 8, drawn, partial(_of_count, drawn))
    for truth, clusters in product((0.0, 0.8), (8,)):
        resampled = packed(partial(_as_it_is, truth, clusters), (-1.0, 1.0))
        yield _scenario("rho", truth, clusters, (USUAL, [truth], clusters, 1), resampled, methods=("percentile", "bca"))


def _scenario(metric, truth, clusters, drawn, bounds_of, *, methods=("jackknife_t",)):
    population, _, _, size = drawn
    return Scenario((metric,), (truth,), population.name, size, clusters, methods, bounds_of)


def halves(drawn, rng, replicates, *, jointly):
    """Of each dimension: rho as it is (R,), and halves, without groups of its clusters or of all dimensions'."""
    population, rhos, clusters, size = drawn
    of_all = without_groups(len(rhos) * clusters).reshape(-1, len(rhos), clusters)
    for place, rho in enumerate(rhos):
        rankings = population.draw(rho, clusters, size, rng, replicates)
        kept = of_all[:, place] if jointly else without_groups(clusters)
        yield rankings.rhos(np.ones((1, clusters)))[:, 0], Halved.of(rankings, kept)


def _of_mean(drawn, _, rng, replicates):
    plain, halved = zip(*halves(drawn, rng, replicates, jointly=True), strict=True)
    return {("jackknife_t", level): measured(bounds(halved, plain, level))[None] for level in LEVELS}


def _of_count(drawn, _, rng, replicates):
    """Surely and possibly negative, from intervals that hold at once; one that is none makes no sign certain."""
    found = list(halves(drawn, rng, replicates, jointly=False))
    counted = {}
    for level in LEVELS:
        joint = 1 - (1 - level) / len(found)
        of_each = np.array([measured(bounds([halved], [plain], joint)) for plain, halved in found])
        surely, possibly = (of_each[..., 1] < 0).sum(axis=0), (~(of_each[..., 0] >= 0)).sum(axis=0)
        counted["jackknife_t", level] = np.stack([surely, possibly], axis=-1)[None].astype(float)
    return counted


def _as_it_is(truth, clusters, rng, replicates):
    """Of the rankings as they are, which a bootstrap is given."""
    sums = USUAL.draw(truth, clusters, 1, rng, replicates).sums

    def rhos(totals):
        return Rankings(totals.reshape(*sums.shape[:3], *totals.shape[1:], 1)).rhos(np.ones((1, 1)))[..., 0]

    return ClusterSums(sums.reshape(-1, clusters), rhos)
