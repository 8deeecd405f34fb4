"""The largest of several components: `top_share` and `top_moves`.

Of five components either all are alike, so that the one that is largest in a sample is so by luck, or one is twice the
others. Effects are a multiple of a margin of mean and standard deviation 1, give and take 0.5.
"""

from functools import partial
from itertools import product

import numpy as np

from claims.instruments.patch_effects import TopComponent
from claims.intervals.by_cluster import by_cluster
from tests.bench.coverage.answers import answered
from tests.bench.coverage.packs import at_once, measured, pack
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import CLUSTERS, LEVELS, Scenario

ALIKE, ONE = (1.0, 1.0, 1.0, 1.0, 1.0), (2.0, 1.0, 1.0, 1.0, 1.0)
NAMES = tuple(f"mlp_L{layer}" for layer in range(len(ONE)))
OF_MARGIN, NOISE = 0.2, 0.5
DRAWN = (("normal", 1), ("normal", 5), ("skewed", 1))
FEW = (8, 20, 50, 200)  # a call for each replicate takes long


def scenarios():
    for weights, (distribution, size), clusters in product((ALIKE, ONE), DRAWN, CLUSTERS):
        drawn = (distribution, (clusters, size))
        yield _scenario("top_share", weights[0] / sum(weights), drawn, _shares(weights, drawn))
    for weights, (distribution, size), clusters in product((ALIKE, ONE), DRAWN[::2], FEW):
        drawn = (distribution, (clusters, size))
        yield _scenario("top_moves", OF_MARGIN * weights[0], drawn, answered(partial(top_moves, weights, drawn)))


def _scenario(metric, truth, drawn, bounds):
    distribution, (clusters, size) = drawn
    return Scenario(
        metrics=(metric,),
        truths=(truth,),
        distribution=distribution,
        size=size,
        clusters=clusters,
        methods=("jackknife_t",),
        bounds=bounds,
        at_once=at_once(clusters),
    )


def _shares(weights, drawn):
    distribution, shape = drawn

    def bounds(_, rng, replicates):
        y = [weight * np.abs(units(distribution, (replicates, *shape), 0, rng)) for weight in weights]
        return {("jackknife_t", level): top_shares(np.stack(y).sum(axis=-1), level) for level in LEVELS}

    return bounds


def top_shares(sums, level):
    """(1, R, 2) as `top_share` has it, of sums (C, R, G) of |differential|."""
    sample = pack(sums, lambda totals: totals / totals.sum(axis=0))
    jointly = 1 - (1 - level) / len(sums)
    lower, upper = (
        by_cluster("jackknife_t", sample, at, None, 0, 0, 1).reshape(*sums.shape[:2], 2) for at in (jointly, level)
    )
    return measured(np.stack([lower[..., 0].max(axis=0), upper[..., 1].max(axis=0)], axis=-1)[None])


def top_moves(weights, drawn, rng, asked):
    distribution, (clusters, size) = drawn
    margin = units(distribution, (1, clusters, size), 1, rng)[0]
    noise = units(distribution, (len(weights), clusters, size), 0, rng)
    effect = OF_MARGIN * np.array(weights)[:, None, None] * margin + NOISE * noise
    margins = np.repeat(margin.sum(axis=1)[:, None], len(weights), axis=1)
    names = tuple(map(str, range(clusters)))
    top = TopComponent(names, NAMES, effect.sum(axis=-1).T, margins, np.full(margins.shape, float(size)))
    return [top.answer(asked)]
