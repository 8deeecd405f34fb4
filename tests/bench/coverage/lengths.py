"""What the bias battery says of length: the mean at equal length, reward per token, and the same standardised.

Length differences are normal about half a standard deviation, with the same share of the cluster as deltas. Adding a
multiple of them to deltas changes no error of the intercept or of the slope, so that one slope, half a standard
deviation a standard deviation, stands for all.
"""

from functools import partial
from itertools import product

import numpy as np

from claims.instruments.bias_statistics import ROUNDING, about_mean, correction
from tests.bench.coverage.packs import OVER_CLUSTERS, at_once, pack, packed
from tests.bench.coverage.populations import moments, units
from tests.bench.coverage.scenarios import SIZES, Scenario

SHIFT, LENGTH, SLOPE = 0.5, 0.5, 0.5
CLUSTERS = (8, 10, 12, 20, 30, 50, 100, 200)  # of which a hundred is some interval's minimum


def scenarios():
    for distribution, size, clusters in product(("normal", "skewed", "discrete"), SIZES, CLUSTERS):
        mean, deviation = moments(distribution, SHIFT)
        yield Scenario(
            metrics=("mean_at_equal_length", "length_slope", "standardised_length_slope"),
            truths=(mean, SLOPE, SLOPE / deviation),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=OVER_CLUSTERS,
            bounds=packed(partial(draw, distribution, clusters, size)),
            at_once=at_once(clusters),
        )


def draw(distribution, clusters, size, rng, replicates):
    """(6, R, G): the sums that an `Axis` makes of deltas and length differences, but from 0."""
    shape = (replicates, clusters, size)
    x = units("normal", shape, LENGTH, rng)
    y = units(distribution, shape, SHIFT, rng) + SLOPE * x
    return pack(np.stack([terms.sum(axis=-1) for terms in (np.ones_like(y), y, y * y, x, x * x, x * y)]), effects)


def effects(totals):
    """As `axis_effects` and `length_effects` have them, without working out twice what both need."""
    with np.errstate(all="ignore"):
        n, y, yy, x, xx, xy = totals
        lengths, deltas, products, free = about_mean(n, x, xx), about_mean(n, y, yy), xy - x * y / n, n - 2
        slope = products / lengths
        residual = deltas - slope * products
        residual = np.where(residual > ROUNDING * deltas, residual, 0.0)
        effect = correction(free) * slope * np.sqrt(lengths / (free + 1)) / np.sqrt(residual / free)
        return np.stack([y / n - slope * (x / n), slope, effect])
