"""Intervals and errors that were published with their data (Efron and Tibshirani 1993, but for one)."""

import numpy as np
import pytest
from scipy import stats

from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums

# Table 14.1: spatial test data, A.
SPATIAL = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
# Table 3.1: average LSAT score and GPA of entering classes at 15 law schools.
LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]


def variance(totals):
    n, total, squares = totals
    return (squares / n - (total / n) ** 2)[None]


def correlation(totals):
    with np.errstate(all="ignore"):
        n, x, y, xx, yy, xy = totals
        return ((xy - x * y / n) / np.sqrt((xx - x * x / n) * (yy - y * y / n)))[None]


def of_variance(values):
    x = np.array(values, dtype=float)
    return ClusterSums(np.stack([np.ones_like(x), x, x * x]), variance)


@pytest.fixture
def law_schools():
    x, y = np.array(LSAT) - np.mean(LSAT), np.array(GPA) - np.mean(GPA)
    return ClusterSums(np.stack([np.ones(15), x, y, x * x, y * y, x * y]), correlation)


@pytest.mark.parametrize(("method", "expected"), [("percentile", (100.8, 233.9)), ("bca", (115.8, 259.6))])
def test_the_variance_of_the_spatial_test(method, expected):
    """Table 14.2, from 2,000 resamples: what they differ by, by chance, is a few units (here: 5)."""
    sample = of_variance(SPATIAL)
    assert sample.values()[0] == pytest.approx(171.5, abs=0.05)
    assert by_cluster(method, sample, 0.9, 40_000, seed=1)[0] == pytest.approx(expected, abs=5)


def test_the_correlation_of_the_law_schools(law_schools):
    """0.776, with the jackknife's error 0.142 (Efron and Gong 1983)."""
    assert law_schools.values()[0] == pytest.approx(0.776, abs=5e-4)
    assert law_schools.errors()[0] == pytest.approx(0.142, abs=6e-4)
    lo, hi = by_cluster("jackknife_t", law_schools, 0.95, None, 0)[0]
    assert (hi - lo) / 2 == pytest.approx(stats.t.ppf(0.975, 14) * 0.142, abs=2e-3)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_law_schools_beside_scipy(law_schools, method):
    theirs = stats.bootstrap(
        (LSAT, GPA),
        lambda x, y, axis: stats.pearsonr(x, y, axis=axis).statistic,
        paired=True,
        vectorized=True,
        confidence_level=0.9,
        n_resamples=20_000,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = by_cluster(method, law_schools, 0.9, 20_000, seed=1)[0]
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02 * (theirs.high - theirs.low))
