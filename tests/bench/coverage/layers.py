"""Where a running margin reaches half of its final value: `crystallization_layer`, and the median over units.

Of eight layers, mean margins rise to 1: slowly, so that the one before the crossing is near half, or at once. A unit's
curve is the mean one plus noise whose standard deviation grows with the layer, to 1 at the last, where the mean is 1.
"""

from functools import partial
from itertools import product

import numpy as np

from claims.instruments.crossing_layer import layer_of_mean, median_layer
from claims.instruments.lens_curves import Curves
from tests.bench.coverage.answers import answered
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import Scenario

# After the embedding and each layer; the mean's crossing, and the first layer by which half of the units have crossed.
SLOWLY, AT_ONCE = (0.0, 0.05, 0.1, 0.2, 0.35, 0.45, 0.7, 0.9, 1.0), (0.0, 0.0, 0.0, 0.1, 0.2, 0.9, 1.0, 1.0, 1.0)
CURVES = {SLOWLY: (5, 3), AT_ONCE: (4, 4)}
CLUSTERS = (8, 20, 50, 200)  # a call for each replicate takes long


def scenarios():
    drawn = (("normal", 1), ("normal", 5), ("skewed", 1))
    for (curve, truths), (distribution, size), clusters in product(CURVES.items(), drawn, CLUSTERS):
        yield Scenario(
            metrics=("layer_of_mean", "layer_of_median"),
            truths=tuple(map(float, truths)),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=("jackknife_t",),
            bounds=answered(partial(layers, curve, distribution, (clusters, size))),
        )


def layers(curve, distribution, shape, rng, asked):
    margin = margins(curve, distribution, shape, rng).reshape(-1, len(curve))
    names = tuple(map(str, range(len(margin))))
    of_clusters = tuple(map(str, np.repeat(np.arange(shape[0]), shape[1])))
    curves = Curves(names, ("d",) * len(names), of_clusters, margin)
    return [layer_of_mean(curves, asked, "layer"), median_layer(curves, asked, "median")]


def margins(curve, distribution, shape, rng):
    """(G, size, 9): noise adds up over layers, so that neighbours are alike."""
    steps = units(distribution, (len(curve), *shape), 0, rng).cumsum(axis=0) / np.sqrt(len(curve))
    return np.array(curve) + np.moveaxis(steps, 0, -1)
