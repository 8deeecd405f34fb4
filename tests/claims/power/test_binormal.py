"""AUROCs over pairs of texts, of many studies at once, as the shipped code has each."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from claims.instruments import reward_scores
from claims.instruments.manifest import Metric
from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.power.binormal import MOST_PAIRS, Binormal, spread
from claims.power.cautions import of_assumptions
from claims.power.populations import most_of, population_of

AUROC = Metric("auroc", "of pairs", low=0, high=1, statistic="auroc")


@pytest.mark.parametrize("sd", [0.1, 0.2, 0.35])
@pytest.mark.parametrize("method", ["jackknife_t", "delong"])
def test_many_studies_have_the_intervals_that_each_would_have_alone(sd, method):
    together = Binormal.like(0.8, sd).sample(0.8, 12, 9)
    alone = [
        by_cluster(method, Aurocs(row[None], together.positive, together.place), 0.95, None, 0, 0.0, 1.0)[0]
        for row in together.scores
    ]
    np.testing.assert_allclose(by_cluster(method, together, 0.95, None, 0, 0.0, 1.0), alone)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.05, 0.95), st.floats(0.3, 1))
def test_studies_have_the_auroc_and_the_error_that_are_assumed(value, part):
    sd = part * spread(value, -1.0)
    population, n = Binormal.like(value, sd), 100
    found = population.sample(value, 1500, n).values()
    assert found.mean() == pytest.approx(value, abs=4 * sd / np.sqrt(1500 * n) + 0.5 / n)
    assert found.std() * np.sqrt(n) == pytest.approx(sd, rel=0.1)


@pytest.mark.parametrize("correlation", [-1, 0, 0.6])
def test_the_spread_is_that_of_placements(correlation):
    end = norm.ppf(0.8)
    both = [multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([end, end]) for r in (0.5, -correlation / 2)]
    assert spread(0.8, correlation) == pytest.approx(np.sqrt(2 * (sum(both) - 2 * 0.8**2)), abs=1e-4)


def test_another_auroc_has_the_same_correlation_and_another_spread():
    population = population_of(0.7, 0.3, AUROC, "delong")
    assert population.sd_at(0.7) == pytest.approx(0.3)
    assert population.sd_at(0.9) == pytest.approx(spread(0.9, population.correlation))
    assert population.sd_at(1.0) == pytest.approx(0, abs=1e-3)


def test_where_one_pair_varies_too_much_units_hold_more():
    population = Binormal.like(0.9, 0.1)
    assert 1 < population.pairs <= MOST_PAIRS
    assert population.sd_at(0.9) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("value", "sd", "method"), [(0.8, 0.6, "delong"), (0.9, 1e-3, "delong"), (0.8, 0.3, "bca"), (1.0, 0.1, "delong")]
)
def test_a_normal_stands_where_no_pairs_could(value, sd, method):
    assert population_of(value, sd, AUROC, method).kind == "normal"


def test_the_most_that_an_auroc_can_vary_is_that_of_pairs_that_go_against_each_other(registered):
    assert most_of(0.5, AUROC) == pytest.approx(np.sqrt(1 / 3))
    manifest = replace(reward_scores.MANIFEST, metrics=(replace(AUROC, name="auc"),))
    assumed = {"auc": {"value": 0.5, "sd": 0.57, "source": "a guess"}}
    assert list(of_assumptions(registered(assumptions=assumed), manifest, {})) == []
    (told,) = of_assumptions(registered(assumptions={"auc": {**assumed["auc"], "sd": 0.6}}), manifest, {})
    assert told["code"] == "SPREAD"
    assert told["detail"] == "no AUROC over pairs varies by an sd of 0.6 around 0.5"


def test_an_auroc_of_all_or_nothing_has_no_interval(prospect):
    found = prospect("auroc", {"op": ">", "value": 0.5}, 0.97, 0.1, n=8, method="delong")
    assert found.drawn_from == "binormal"
    assert found.chances.void > 0.1
