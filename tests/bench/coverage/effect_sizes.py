"""The mean of units over their standard deviation, Hedges' g: the bias battery's `effect_size`."""

from functools import partial
from itertools import product

import numpy as np

from claims.instruments.bias_statistics import about_mean, correction
from tests.bench.coverage.packs import OVER_CLUSTERS, at_once, pack, packed
from tests.bench.coverage.populations import moments, units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

# Where the mean lies matters to how estimates are skewed, and to what rounding makes of units.
AXES = (("normal", 0.5), ("skewed", 0.5), ("discrete", 0.5), ("skewed", 0.0))


def scenarios():
    for (distribution, shift), size, clusters in product(AXES, SIZES, CLUSTERS):
        mean, deviation = moments(distribution, shift)
        yield Scenario(
            metrics=("standardised_mean",),
            truths=(mean / deviation,),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=OVER_CLUSTERS,
            bounds=packed(partial(draw, (distribution, shift), clusters, size)),
            at_once=at_once(clusters),
        )


def draw(axis, clusters, size, rng, replicates):
    """From sums (3, R, G): units, they and their squares."""
    distribution, shift = axis
    y = units(distribution, (replicates, clusters, size), shift, rng)
    return pack(np.stack([terms.sum(axis=-1) for terms in (np.ones_like(y), y, y * y)]), effect_size)


def effect_size(totals):
    """As `axis_effects` has it, which would work out the mean at equal length as well."""
    n, y, yy = totals
    with np.errstate(all="ignore"):
        return (correction(n - 1) * (y / n) / np.sqrt(about_mean(n, y, yy) / (n - 1)))[None]
