"""The share of units that have a property: `accuracy`, `sign_agreement` and the like.

A unit has it where a normal of variance 1, of which the cluster makes 0.3, lies above a threshold.
"""

from itertools import product

from scipy.stats import norm

from tests.bench.coverage.packs import at_once, pack_means, packed
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

TRUTHS = (0.5, 0.8, 0.95)
METHODS = ("wilson", "jackknife_t", "percentile", "bca")


def scenarios():
    for truth, size, clusters in product(TRUTHS, SIZES, CLUSTERS):

        def draw(rng, replicates, truth=truth, size=size, clusters=clusters):
            return pack_means(units("normal", (replicates, clusters, size), norm.ppf(truth), rng) > 0)

        yield Scenario(
            metrics=("share_of_units",),
            truths=(truth,),
            distribution="binary",
            size=size,
            clusters=clusters,
            methods=METHODS,
            bounds=packed(draw),
            at_once=at_once(clusters),
        )
