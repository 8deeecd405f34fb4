"""Wilson's interval by cluster: what it is of rows in clusters of one, and what clusters make of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means

RIGHT = st.lists(st.booleans(), min_size=3, max_size=40).filter(lambda right: len(set(right)) == 2)


def wilson(right, clusters, level=0.95):
    return by_cluster("wilson", Means.over(np.array([right], dtype=float), clusters), level, None, 0, 0, 1)[0]


def scored(share, number, free, level=0.95):
    """statsmodels' own, of a number that need not be whole, with Student's quantile for the normal one."""
    alpha = 2 * stats.norm.sf(stats.t.ppf((1 + level) / 2, free))
    return pytest.approx(proportion_confint(share * number, number, alpha=alpha, method="wilson"), abs=1e-9)


@settings(max_examples=50)
@given(RIGHT, st.sampled_from([0.9, 0.95, 0.99]))
def test_clusters_of_one_are_one_row_fewer_with_students_quantile(right, level):
    """The jackknife's error of a share is sqrt(p (1 - p) / (n - 1))."""
    n = len(right)
    assert wilson(right, range(n), level) == scored(np.mean(right), n - 1, n - 1, level)


def test_many_clusters_of_one_are_a_binomial_count():
    right = np.arange(4000) < 3100
    theirs = stats.binomtest(3100, 4000).proportion_ci(0.95, method="wilson")
    assert wilson(right, range(4000)) == pytest.approx((theirs.low, theirs.high), abs=1e-5)


def test_all_right_has_a_lower_bound_of_as_many_rows_as_there_are_clusters():
    square = stats.t.ppf(0.975, 19) ** 2
    assert wilson([True] * 20, range(20)) == pytest.approx((20 / (20 + square), 1))
    assert wilson([True] * 100, np.arange(100) % 20) == pytest.approx((20 / (20 + square), 1))
    assert wilson([False] * 20, range(20)) == pytest.approx((0, square / (20 + square)))
    assert wilson([True] * 30, [0] * 20 + list(range(1, 11)))[0] < 0.5  # two thirds of all in one cluster


@settings(max_examples=50)
@given(RIGHT, st.integers(2, 5))
def test_the_same_row_again_in_its_cluster_tells_nothing_new(right, copies):
    once = wilson(right, range(len(right)))
    assert wilson(right * copies, list(range(len(right))) * copies) == pytest.approx(once)


def test_clusters_that_are_alike_by_chance_are_no_more_than_their_rows():
    """Seven clusters with 3 of 5 right and one with 4: nearly no spread, but no more than 40 rows."""
    right = [True] * 3 + [False] * 2
    found = wilson(right * 7 + [True] * 4 + [False], np.repeat(range(8), 5))
    assert found == scored(25 / 40, 40, 7)


def test_a_share_over_dimensions_has_no_more_than_their_rows_either():
    right = np.arange(30) < 19  # nearly all of one, one of the other: within them little varies
    right[20] = True
    sample = Means.over_groups(right.astype(float), ["a"] * 20 + ["b"] * 10, range(30))
    lo, hi = by_cluster("wilson", sample, 0.95, None, 0, 0, 1)[0]
    assert (lo, hi) == scored((19 / 20 + 1 / 10) / 2, 4 / (1 / 20 + 1 / 10), 29)


def test_a_share_that_a_cluster_alone_defines_has_no_interval():
    sample = Means.over_groups(np.array([1.0, 0, 1]), ["a", "a", "b"], range(3))
    assert np.isnan(by_cluster("wilson", sample, 0.95, None, 0)).all()
