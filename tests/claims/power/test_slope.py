"""Slopes on length, beside those that the bias battery has."""

import numpy as np
import pytest
from scipy.stats import t

from claims.instruments import catalogue
from claims.instruments.bias_statistics import length_effects
from claims.intervals.cluster_sums import ClusterSums
from claims.intervals.jackknife_t import jackknife_t
from claims.power.chances import chances
from claims.power.population import MANY
from claims.power.populations import population_of
from claims.power.slope import Slope, _drawn
from claims.registration.model import Threshold

METRIC = catalogue()["bias_battery"].MANIFEST.metric("length_slope")
LEVEL, STUDIES = 0.95, 4000


def batterys(lengths, values):
    """Slopes (R,) of R batteries with one axis of one-pair clusters, and those without each pair (R, n)."""
    terms = np.stack([np.ones_like(values), values, values**2, lengths, lengths**2, lengths * values])
    samples = [ClusterSums(terms[:, study], length_effects) for study in range(len(values))]
    return np.array([one.values()[0] for one in samples]), np.array([one.left_out()[0] for one in samples])


def test_slopes_are_the_batterys_and_so_are_those_without_a_pair(monkeypatch):
    drawn = np.random.default_rng(1).standard_normal((2, 5, 9))
    monkeypatch.setattr("claims.power.slope.drawing", lambda: Fixed(drawn))
    for found, expected in zip(_drawn(9, 5), batterys(*drawn), strict=True):
        assert found == pytest.approx(expected)


class Fixed:
    def __init__(self, drawn):
        self.drawn = drawn

    def standard_normal(self, shape):
        assert shape == self.drawn.shape
        return self.drawn.copy()


@pytest.mark.parametrize("n", [8, 16, 40])
def test_chances_are_those_of_the_batterys_intervals(n):
    generator, sd = np.random.default_rng(n), 0.05 * np.sqrt(n / (n - 3))
    lengths = generator.normal(10, 20, (STUDIES, n))
    intervals = jackknife_t(*batterys(lengths, 0.025 * lengths + generator.normal(0, 1, lengths.shape)), LEVEL)
    model = population_of(0.025, sd, METRIC, "jackknife_t").bounds(0.025, LEVEL, n, STUDIES)
    for away in (-2, 1, 2, 3, 4):
        predict = Threshold(op=">", value=0.025 - away * sd / np.sqrt(n))
        predicted, counted = chances(model, predict).confirmed, chances(intervals, predict).confirmed
        assert predicted == pytest.approx(counted, abs=4 * np.sqrt(2 * 0.25 / STUDIES)), away


@pytest.mark.parametrize("n", [MANY, 4 * MANY])
def test_of_very_many_pairs_the_error_is_as_assumed(n):
    lo, hi = Slope.like(1.0, 2.0, "jackknife_t").bounds(1.0, LEVEL, n, 2000).T
    assert np.median(hi - lo) / 2 == pytest.approx(t.ppf(0.975, n - 1) * 2 / np.sqrt(n), rel=0.03)
    assert ((lo + hi) / 2).std() == pytest.approx(2 / np.sqrt(n), rel=0.08)


def test_a_studentised_bootstrap_knows_that_the_error_is_hardly_known():
    plain, wide = (Slope.like(0.0, 1.0, method) for method in ("jackknife_t", "studentised_bootstrap"))
    narrow, wider = (np.ptp(one.bounds(0.0, LEVEL, 21, 50), axis=1) for one in (plain, wide))
    assert wider / narrow == pytest.approx(t.ppf(0.975, 7) / t.ppf(0.975, 20))


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_other_intervals_need_so_many_pairs_that_slopes_are_normal(method):
    assert population_of(0.0, 1.0, METRIC, method).kind == "normal"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_of_hardly_any_pairs_there_is_no_interval_or_one_without_use(n):
    bounds = Slope.like(0.0, 1.0, "jackknife_t").bounds(0.0, LEVEL, n, 10)
    assert bounds.shape == (10, 2)
    assert chances(bounds, Threshold(op=">", value=-1.0)).confirmed <= 0.3
