"""What is simulated is what is shipped: packed replicates get the intervals that instruments give to rows."""

import numpy as np
import pytest

from claims.instruments.answers import Asked
from claims.instruments.attribution_shares import top_share
from claims.instruments.bias_statistics import Axis, length_effects
from claims.instruments.differentials import Differentials
from claims.instruments.grid import STATES, Patched
from claims.instruments.patch_effects import moves
from claims.instruments.ratios import Ratios
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums
from claims.intervals.means import Means
from claims.ranking import auroc, spearman
from tests.bench.coverage import effect_sizes, lengths, organisms, ratios, tops
from tests.bench.coverage.answers import OFFERED
from tests.bench.coverage.packs import OVER_CLUSTERS, pack_means
from tests.bench.coverage.populations import moments, units

CLUSTERS, SIZE, REPLICATES = 9, 3, 4
NAMES = tuple(f"{number}" for number in np.repeat(np.arange(CLUSTERS), SIZE))


def normal(seed, shift):
    """The units that a draw of this seed starts with."""
    return units("normal", (REPLICATES, CLUSTERS, SIZE), shift, np.random.default_rng(seed)).reshape(REPLICATES, -1)


@pytest.mark.parametrize("method", OVER_CLUSTERS)
def test_a_packs_intervals_are_those_of_its_replicates(method):
    drawn = effect_sizes.draw(("normal", 0.5), CLUSTERS, SIZE, np.random.default_rng(0), REPLICATES)
    packed = by_cluster(method, drawn, 0.9, 199, 7)
    for deltas, bounds in zip(normal(0, 0.5), packed, strict=True):
        alone = Axis("a", deltas, np.zeros_like(deltas), NAMES).effects()
        assert by_cluster(method, alone, 0.9, 199, 7)[1] == pytest.approx(bounds, rel=1e-9)


def test_lengths_are_the_bias_batterys():
    drawn = lengths.draw("normal", CLUSTERS, SIZE, np.random.default_rng(0), REPLICATES)
    packed = by_cluster("jackknife_t", drawn, 0.9, None, 0).reshape(3, REPLICATES, 2)
    rng = np.random.default_rng(0)
    x, y = (units("normal", (REPLICATES, CLUSTERS, SIZE), 0.5, rng).reshape(REPLICATES, -1) for _ in range(2))
    for number in range(REPLICATES):
        axis = Axis("a", y[number] + 0.5 * x[number], x[number], NAMES)
        adjusted = by_cluster("jackknife_t", axis.effects(), 0.9, None, 0)[2]
        slopes = by_cluster("jackknife_t", ClusterSums(axis.moments(axis.names), length_effects), 0.9, None, 0)
        assert np.vstack([adjusted, slopes]) == pytest.approx(packed[:, number], rel=1e-9)


def test_ratios_are_those_of_instruments():
    sample = ratios.draw("normal", CLUSTERS, 1, np.random.default_rng(0), REPLICATES)
    packed = by_cluster("jackknife_t", sample, 0.9, None, 0).reshape(3, REPLICATES, 2)
    sums = sample.sums.reshape(3, 2, REPLICATES, CLUSTERS)
    names = NAMES[::SIZE]
    for number in range(REPLICATES):
        for k, (top, bottom) in enumerate(sums):
            shipped = Ratios(top[number][:, None], bottom[number], names).bounds(0.9)[0]
            assert shipped == pytest.approx(packed[k, number], rel=1e-9)


def test_moves_are_those_of_patch_grid():
    sample = ratios.draw("normal", CLUSTERS, 1, np.random.default_rng(1), REPLICATES)
    packed = by_cluster("jackknife_t", sample, 0.9, None, 0).reshape(3, REPLICATES, 2)[2]
    effects, margins = sample.sums.reshape(3, 2, REPLICATES, CLUSTERS)[2]
    names, ok = NAMES[::SIZE], np.full((CLUSTERS, 1), STATES.index("ok"), dtype=np.int8)
    for effect, margin, (lo, hi) in zip(effects, margins, packed, strict=True):
        laid = Patched(names, ("noising",) * CLUSTERS, names, ("mlp_L0",), margin, effect[:, None], ok)
        ((_, shipped),) = moves(laid, Asked(OFFERED, "jackknife_t", 0.9, None, lambda _: 0))
        assert (shipped.lo, shipped.hi) == pytest.approx((max(0.0, lo), hi), rel=1e-9)


@pytest.mark.parametrize("method", OVER_CLUSTERS)
def test_means_are_those_of_rows(method):
    y = units("discrete", (REPLICATES, CLUSTERS, SIZE), 0.5, np.random.default_rng(0))
    packed = by_cluster(method, pack_means(y), 0.9, 199, 7)
    shipped = by_cluster(method, Means.over(y.reshape(REPLICATES, -1), NAMES), 0.9, 199, 7)
    assert packed == pytest.approx(shipped, rel=1e-9)


def test_means_are_those_of_instruments():
    y = normal(0, 0.5)
    packed = by_cluster("jackknife_t", pack_means(y.reshape(REPLICATES, CLUSTERS, SIZE)), 0.9, None, 0)
    assert Ratios.means(y.T, NAMES).bounds(0.9) == pytest.approx(packed, rel=1e-9)


def test_top_shares_are_those_of_direct_linear_attribution():
    sums = np.abs(np.random.default_rng(0).normal(size=(len(tops.NAMES), REPLICATES, CLUSTERS)))
    packed = tops.top_shares(sums, 0.9)[0]
    asked = Asked(OFFERED, "jackknife_t", 0.9, None, lambda _: 0)
    names = NAMES[::SIZE]
    for number in range(REPLICATES):
        attributed = Differentials(names, names, names, tops.NAMES, sums[:, number].T)
        shipped = top_share(attributed, asked, "top_share")
        assert (shipped.lo, shipped.hi) == pytest.approx(packed[number], rel=1e-9)


def test_organisms_are_scored_as_instruments_score_them():
    rng = np.random.default_rng(0)
    scores, key = rng.normal(size=(5, 17)), np.arange(17) < 3
    found = organisms.auroc_of(scores[:, :3], scores[:, 3:])
    assert found == pytest.approx([auroc(list(row), list(key)) for row in scores])
    other = rng.normal(size=(5, 17))
    expected = [spearman(list(one), list(two)) for one, two in zip(scores, other, strict=True)]
    assert organisms.spearman_of(scores, other) == pytest.approx(expected)


@pytest.mark.parametrize("distribution", ["normal", "skewed", "discrete", "exponential"])
def test_units_have_the_moments_that_truths_are_made_of(distribution):
    y = units(distribution, (20_000, 1, 5), 0.5, np.random.default_rng(0))
    mean, deviation = moments(distribution, 0.5)
    assert y.mean() == pytest.approx(mean, abs=0.02)
    assert y.std() == pytest.approx(deviation, abs=0.02)
