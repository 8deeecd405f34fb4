"""Shares of units that have a property: `accuracy`, `macro_accuracy`, `sign_agreement` and the like.

A unit has it where a normal of variance 1, of which the cluster makes 0.3, lies above a threshold. A cell is one of 16
of its unit, and a fifth of what sets cells apart is their own. Groups, of which the mean of shares is taken, are four,
with clusters of their own and shares from 0.6 to 0.95.
"""

from itertools import product

import numpy as np
from scipy.stats import norm

from claims.intervals.means import Means
from tests.bench.coverage.packs import SHARE, at_once, one_by_one, pack_means, packed
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

TRUTHS = (0.5, 0.8, 0.95)
METHODS = ("wilson", "jackknife_t", "percentile", "bca")
CELLS, OF_CELL = 16, 0.2
OF_GROUPS = (0.6, 0.75, 0.9, 0.95)


def scenarios():
    for truth, size, clusters in product(TRUTHS, SIZES, CLUSTERS):
        yield _scenario("share_of_units", truth, size, clusters, METHODS)
    for truth, size, clusters in product(TRUTHS[1:], SIZES, CLUSTERS):
        yield _scenario("share_of_cells", truth, size, clusters, ("jackknife_t",))
    for size, clusters in product(SIZES, CLUSTERS):
        yield _scenario("mean_of_shares", float(np.mean(OF_GROUPS)), size, clusters, ("jackknife_t",))


def _scenario(metric, truth, size, clusters, methods):
    draw = {
        "share_of_units": lambda rng, replicates: pack_means(
            units("normal", (replicates, clusters, size), norm.ppf(truth), rng) > 0
        ),
        "share_of_cells": lambda rng, replicates: pack_means(cells((replicates, clusters, size), truth, rng)),
        "mean_of_shares": lambda rng, _: mean_of_shares(clusters, size, rng),
    }[metric]
    return Scenario(
        metrics=(metric,),
        truths=(truth,),
        distribution="binary",
        size=size,
        clusters=clusters,
        methods=methods,
        bounds=(one_by_one if metric == "mean_of_shares" else packed)(draw, SHARE),
        at_once=at_once(clusters),
    )


def cells(shape, truth, rng):
    """(R, G, size * 16)"""
    of_unit = units("normal", shape, 0, rng)[..., None] * np.sqrt(1 - OF_CELL)
    of_cell = rng.normal(size=(*shape, CELLS)) * np.sqrt(OF_CELL)
    return (of_unit + of_cell + norm.ppf(truth) > 0).reshape(*shape[:2], -1)


def mean_of_shares(clusters, size, rng):
    """Cluster after cluster in the next group."""
    group = np.arange(clusters) % len(OF_GROUPS)
    y = units("normal", (1, clusters, size), 0, rng)[0] + norm.ppf(OF_GROUPS)[group][:, None]
    groups, names = (np.repeat(numbers, size) for numbers in (group, np.arange(clusters)))
    return Means.over_groups((y > 0).ravel().astype(float), groups, names)
