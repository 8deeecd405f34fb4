"""The mean of units: `mean_margin`, `mean_delta`, `mean_effect`, `final_margin` and the like."""

from itertools import product

from tests.bench.coverage.packs import OVER_CLUSTERS, at_once, pack_means, packed
from tests.bench.coverage.populations import moments, units
from tests.bench.coverage.scenarios import CLUSTERS, SIZES, Scenario

SHIFT = 0.5


def scenarios():
    for distribution, size, clusters in product(("normal", "skewed", "discrete", "exponential"), SIZES, CLUSTERS):
        if distribution == "exponential" and size > 1:
            continue

        def draw(rng, replicates, distribution=distribution, size=size, clusters=clusters):
            return pack_means(units(distribution, (replicates, clusters, size), SHIFT, rng))

        yield Scenario(
            metrics=("mean",),
            truths=(moments(distribution, SHIFT)[0],),
            distribution=distribution,
            size=size,
            clusters=clusters,
            methods=OVER_CLUSTERS if size > 1 else ("student_t", *OVER_CLUSTERS),
            bounds=packed(draw),
            at_once=at_once(clusters),
        )
