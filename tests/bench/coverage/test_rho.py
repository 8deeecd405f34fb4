"""What is simulated of rho is what is shipped, from populations that are as they are called."""

import numpy as np
import pytest

from claims.instruments import attribution_patching_agreement as instrument
from claims.instruments.agreement_estimates import Agreement
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import Asked
from claims.instruments.grid import Grid
from claims.ranking import spearman
from tests.bench.coverage import rho
from tests.bench.coverage.answers import OFFERED
from tests.bench.coverage.campaign import coverage, read
from tests.bench.coverage.rho_populations import Population, ordered
from tests.bench.coverage.test_coverage import SLICE, agree

SMALL = Population("normal", 0.9, components=6)


@pytest.mark.parametrize(("components", "truth"), [(64, 0.0), (64, 0.3), (64, 0.8), (64, -0.3), (16, 0.8)])
def test_orders_have_the_rho_that_they_are_called_by(components, truth):
    first = list(range(components))
    for second in ordered(components, truth):
        assert sorted(second) == first
        assert spearman(first, list(second)) == pytest.approx(truth, abs=2 * 12 / (components * (components**2 - 1)))


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("distribution", ["normal", "skewed", "discrete"])
def test_means_have_the_reliability_that_is_stated(distribution, size):
    population, rng = Population(distribution, 0.7), np.random.default_rng(0)
    rankings = population.draw(0.3, 12, size, rng, 200)
    first, second = np.arange(12)[None] % 2, 1 - np.arange(12)[None] % 2
    half = rankings.agreements(first.astype(float), second.astype(float))[:2].mean()
    assert 2 * half / (1 + half) == pytest.approx(0.69, abs=0.03)


def test_noise_is_shared_as_stated():
    rankings = Population("normal", 0.2, shared=0.9).draw(0.0, 8, 1, np.random.default_rng(0), 200)
    assert rankings.rhos(np.ones((1, 8))).mean() == pytest.approx(0.8 * 0.9, abs=0.05)
    first, second = np.arange(8)[None] % 2, 1 - np.arange(8)[None] % 2
    assert rankings.agreements(first.astype(float), second.astype(float))[2].mean() == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_bounds_are_those_that_the_instrument_gives_to_the_same_clusters(level):
    rhos, clusters, replicates = [0.8, -0.8, 0.0], 9, 5
    drawn = (SMALL, rhos, clusters, 1)
    of_mean = rho._of_mean(drawn, (), np.random.default_rng(3), replicates)["jackknife_t", level][0]
    counted = rho._of_count(drawn, (), np.random.default_rng(3), replicates)["jackknife_t", level][0]
    rng = np.random.default_rng(3)
    samples = [SMALL.draw(truth, clusters, 1, rng, replicates).sums for truth in rhos]
    for number in range(replicates):
        grids = {f"d{place}": grid(sums[:, :, number], place) for place, sums in enumerate(samples)}
        measured = {name: Ranked(one, "signed_signed") for name, one in grids.items()}
        answers = Agreement(measured, Asked(OFFERED, "jackknife_t", level, None, lambda _: 0)).answers()
        assert (answers["mean_rho"].lo, answers["mean_rho"].hi) == pytest.approx(tuple(of_mean[number]))
        count = answers["negative_dimensions"]
        assert (count.lo, count.hi) == tuple(counted[number])


def grid(sums, dimension):
    """A pair a cluster, of sums (3, C, G), its clusters in the order of their names."""
    _, differential, effect = sums.transpose(0, 2, 1)
    clusters, components = effect.shape
    return Grid(
        pairs=(names := tuple(f"{dimension}/{number:02}" for number in range(clusters))),
        directions=("",) * clusters,
        clusters=names,
        components=tuple(f"attn_L{layer}" for layer in range(components)),
        margin=np.ones(clusters),
        effect=effect,
        state=np.zeros(effect.shape, np.int8),
        differential=differential,
        attributed_alone=frozenset(),
        attribution_rows=effect.size,
    )


def test_a_slice_of_the_campaign_agrees_with_what_is_published():
    assert instrument.MANIFEST.minimums()["jackknife_t"]["mean_rho"] == 8
    published = {line.cell: line for line in read()}
    for scenario in rho.scenarios():
        if (
            scenario.clusters == 8
            and scenario.metrics[0] != "negative_dimensions"
            and "skewed" in scenario.distribution
        ):
            for line in coverage(scenario, SLICE, salt=1):
                assert agree(line, published[line.cell]), (line, published[line.cell])
