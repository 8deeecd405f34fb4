"""Ratios of sums over units: shares of |differential|, relative errors, and what a component moves of the margin.

Of magnitude shares a component has one fifth: the |value| of one of five, all alike. `ratio` is of effects that are 0.3
of a margin, give and take 0.5, over margins of mean 1 and standard deviation 1.
"""

from functools import partial
from itertools import product

import numpy as np

from tests.bench.coverage.packs import OVER_CLUSTERS, at_once, pack, packed
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

ALIKE = 5
MOVED, NOISE, MARGIN = 0.3, 0.5, 1.0


def scenarios():
    for distribution, size, clusters in product(("normal", "skewed"), SIZES, CLUSTERS):
        yield Scenario(
            metrics=("magnitude_share", "ratio"),
            truths=(1 / ALIKE, MOVED),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=OVER_CLUSTERS,
            bounds=packed(partial(draw, distribution, clusters, size)),
            at_once=at_once(clusters),
        )


def draw(distribution, clusters, size, rng, replicates):
    """(4, R, G): one component's magnitude, that of all; effects, margins."""
    shape = (replicates, clusters, size)
    magnitudes = [np.abs(units(distribution, shape, 0, rng)) for _ in range(ALIKE)]
    margin = units(distribution, shape, MARGIN, rng)
    effect = MOVED * margin + NOISE * units(distribution, shape, 0, rng)
    return pack(np.stack([terms.sum(axis=-1) for terms in (magnitudes[0], sum(magnitudes), effect, margin)]), ratios)


def ratios(totals):
    with np.errstate(all="ignore"):
        return totals[::2] / totals[1::2]
