"""Ratios of sums over units: shares of |differential|, relative errors, and what a component moves of the margin.

Of magnitude shares a component has one fifth: the |value| of one of five, all alike. `magnitude_ratio` is of a third of
one of them to another. `ratio` is of effects that are 0.3 of a margin, give and take 0.5, over margins of mean 1 and
standard deviation 1, in the sign that makes it positive; its bounds are cut off at 0, and not made on a scale on which
0 is far away, for they often reach it.
"""

from functools import partial
from itertools import product

import numpy as np

from tests.bench.coverage.packs import OVER_CLUSTERS, SHARE, at_once, pack, packed
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

ALIKE = 5
MOVED, NOISE, MARGIN = 0.3, 0.5, 1.0
POSITIVE, ANYWHERE = (0.0, np.inf), (-np.inf, np.inf)


def scenarios():
    for distribution, size, clusters in product(("normal", "skewed"), SIZES, CLUSTERS):
        yield Scenario(
            metrics=("magnitude_share", "magnitude_ratio", "ratio"),
            truths=(1 / ALIKE, 1 / 3, MOVED),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=OVER_CLUSTERS,
            bounds=packed(partial(draw, distribution, clusters, size), SHARE, POSITIVE, ANYWHERE),
            at_once=at_once(clusters),
        )


def draw(distribution, clusters, size, rng, replicates):
    """From sums (6, R, G), numerators and denominators in turn."""
    shape = (replicates, clusters, size)
    magnitudes = [np.abs(units(distribution, shape, 0, rng)) for _ in range(ALIKE)]
    margin = units(distribution, shape, MARGIN, rng)
    effect = MOVED * margin + NOISE * units(distribution, shape, 0, rng)
    effect *= np.sign(effect.sum(axis=(1, 2)) * margin.sum(axis=(1, 2)))[:, None, None]
    terms = (magnitudes[0], sum(magnitudes), magnitudes[1] / 3, magnitudes[0], effect, margin)
    return pack(np.stack([term.sum(axis=-1) for term in terms]), ratios)


def ratios(totals):
    with np.errstate(all="ignore"):
        return totals[::2] / totals[1::2]
