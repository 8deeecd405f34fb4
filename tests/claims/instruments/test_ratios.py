"""Ratios of sums over pairs, with intervals over clusters."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.instruments import bias_battery, patch_grid
from claims.instruments.answers import Asked
from claims.instruments.ratios import Ratios
from claims.intervals.cluster_sums import ClusterSums
from claims.seeds import seeds_of

from .by_hand import jackknifed

ASKED = Asked(patch_grid.MANIFEST, "jackknife_t", 0.95, None, seeds_of(bytes(32), "0" * 64))
METRIC = "moves.mlp_L0"
CLUSTERS = ["a", "a", "b", "c", "d", "e", "f", "g", "h", "h", "h"]


@pytest.fixture
def columns():
    draw = np.random.default_rng(3)
    return draw.normal(size=(11, 2)), draw.uniform(1, 2, size=11)


def test_each_is_a_sum_over_a_sum_and_leaves_one_cluster_out_at_a_time(columns):
    above, below = columns
    ratios = Ratios(above, below, tuple(CLUSTERS))
    assert ratios.values == pytest.approx(above.sum(axis=0) / below.sum())
    for row, name in zip(ratios.sample.left_out().T, "abcdefgh", strict=True):
        kept = np.array([own != name for own in CLUSTERS])
        assert row == pytest.approx(above[kept].sum(axis=0) / below[kept].sum())


def test_an_answer_is_the_jackknife_over_those_clipped_to_the_range(columns):
    above, below = columns
    ratios = Ratios(above, below, tuple(CLUSTERS))
    asked, left_out = replace(ASKED, level=0.9), ratios.sample.left_out()
    answer = ratios.answers(asked, [METRIC, METRIC], (-1, 1))[1]
    by_hand = jackknifed(ratios.values[1], left_out[1], 0.9, -1, 1)
    assert (answer.lo, answer.hi) == pytest.approx(by_hand)
    assert Ratios(above[:, 1:], below, tuple(CLUSTERS)).answer(asked, METRIC, (-1, 1)) == answer
    for ends, value, without in zip(ratios.bounds(0.99), ratios.values, left_out, strict=True):
        assert tuple(ends) == pytest.approx(jackknifed(value, without, 0.99))
    assert (answer.level, answer.method, answer.unit, answer.n) == (0.9, "jackknife_t", "cluster", 8)
    assert answer.n_effective == pytest.approx(11**2 / (2 * 2 + 3 * 3 + 6))


@given(st.permutations(range(11)))
def test_the_order_of_the_pairs_does_not_matter(order):
    draw = np.random.default_rng(5)
    values = draw.normal(size=(11, 1))
    first = Ratios.means(values, CLUSTERS).answer(ASKED, METRIC)
    second = Ratios.means(values[order], [CLUSTERS[index] for index in order]).answer(ASKED, METRIC)
    assert (first.value, first.lo, first.hi) == pytest.approx((second.value, second.lo, second.hi))


def test_without_spread_there_is_no_interval_and_the_value_is_told():
    assert "it is 1 in this sample" in Ratios.means(np.ones((11, 1)), CLUSTERS).answer(ASKED, METRIC)
    assert np.isnan(Ratios.means(np.full((11, 1), 0.1), CLUSTERS).bounds(0.95)).all()
    assert np.isnan(Ratios.means(np.full((11, 1), 1e9 / 3), CLUSTERS).bounds(0.95)).all()


@pytest.mark.parametrize(
    ("method", "why"), [("bca", "or lie on one side of the value"), ("percentile", "undefined in too many resamples")]
)
def test_a_bootstrap_without_bounds_says_why(method, why):
    """No resample is above a sum of values that count once each; what two of many define often is undefined."""
    asked = Asked(bias_battery.MANIFEST, method, 0.95, 2000, seeds_of(bytes(32), "0" * 64))
    names = [str(number) for number in range(200)]
    if method == "bca":
        sample = ClusterSums(np.eye(200), lambda totals: np.tensordot(np.arange(200.0)[None], totals > 0, 1))
    else:
        often = np.array([np.ones(200), np.arange(200.0), np.arange(200) < 2])
        sample = ClusterSums(often, lambda totals: np.where(totals[2:] > 0, totals[1:2] / totals[:1], np.nan))
    assert why in asked.answer("mean_delta.safety", sample, names)


def test_seven_clusters_are_too_few():
    assert "7 independent clusters" in Ratios.means(np.arange(7.0)[:, None], list("abcdefg")).answer(ASKED, METRIC)


def test_a_share_of_nothing_is_none():
    nothing = np.zeros((11, 1))
    assert "a sum that is 0" in Ratios(nothing, np.zeros(11), tuple(CLUSTERS)).answer(ASKED, METRIC)
    alone = np.array([name == "c" for name in CLUSTERS], dtype=float)
    assert "without the cluster 'c'" in Ratios(nothing, alone, tuple(CLUSTERS)).answer(ASKED, METRIC)
