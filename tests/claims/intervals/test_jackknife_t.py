import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special, stats

from claims.intervals.by_cluster import by_cluster
from claims.intervals.jackknife_t import jackknife_t
from claims.intervals.means import Means

SAMPLES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 6)), min_size=3, max_size=40)


@given(SAMPLES)
def test_of_a_mean_it_is_students_interval(sample):
    assume(len(set(sample)) > 1)
    values = np.array(sample)
    left_out = [float(np.delete(values, index).mean()) for index in range(len(values))]
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    found = jackknife_t(values.mean(keepdims=True), np.array([left_out]), 0.95)
    assert found[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("low", "high", "to", "back"),
    [
        (-1, 1, np.arctanh, np.tanh),
        (0, 1, special.logit, special.expit),
        (0, np.inf, np.log, np.exp),
        (-np.inf, 1, lambda value: -np.log(1 - value), lambda value: 1 - np.exp(-value)),
    ],
)
def test_of_a_range_with_an_end_it_is_students_interval_of_pseudo_values(low, high, to, back):
    """Fisher's z between -1 and 1: half of the logit."""
    left_out = np.array([0.5, 0.55, 0.61, 0.42, 0.58, 0.66])
    pseudo = [6 * to(0.56) - 5 * to(value) for value in left_out]
    expected = [back(end) for end in stats.t.interval(0.9, 5, np.mean(pseudo), stats.sem(pseudo))]
    assert jackknife_t(np.array([0.56]), left_out[None], 0.9, low, high)[0] == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=30), st.sampled_from([0.9, 0.95, 0.99]))
def test_bounds_stay_within_the_range_and_by_cluster_hold_the_value(values, level):
    lo, hi = jackknife_t(np.array([0.5]), np.array([values]), level, 0, 1)[0]
    assert 0 <= lo <= hi <= 1
    lo, hi = by_cluster("jackknife_t", Means.over(np.array([values]), range(len(values))), level, None, 0, 0, 1)[0]
    assert 0 <= lo <= np.mean(values) <= hi <= 1


def test_many_at_once_are_each_as_it_would_be_alone():
    draw = np.random.default_rng(4)
    values, left_out = draw.uniform(0.3, 0.7, 5), draw.uniform(0.3, 0.7, (5, 9))
    low, high = np.array([0.0, 0.0, -1.0, -np.inf, -np.inf]), np.array([1.0, np.inf, 1.0, 1.0, np.inf])
    alone = [jackknife_t(values[[k]], left_out[[k]], 0.9, low[k], high[k])[0] for k in range(5)]
    np.testing.assert_array_equal(jackknife_t(values, left_out, 0.9, low, high), alone)


def test_a_value_at_the_end_of_the_range_leaves_no_interval():
    sample = Means.over(np.array([[1.0, 1, 1, 1, 1, 0.5]]), range(6))
    assert np.isnan(by_cluster("student_t", sample, 0.95, None, 0, 0, 1)).all()


def test_the_mean_of_values_near_the_end_is_not_taken_for_more_than_it_is():
    """Eighteen perfect scores and two bad: plain t takes the mean for more than one more bad one would leave of it."""
    values = np.array([[1.0] * 18 + [0.9, 0.5]])
    plain = by_cluster("student_t", Means.over(values, range(20)), 0.95, None, 0)[0]
    held = by_cluster("student_t", Means.over(values, range(20)), 0.95, None, 0, 0, 1)[0]
    assert held[0] < plain[0] - 0.03
    assert plain[1] > 1 > held[1]


@pytest.mark.parametrize("low", [-1, -np.inf])
def test_one_cluster_has_no_error_and_an_undefined_value_neither(low):
    assert np.isnan(jackknife_t(np.array([0.3]), np.array([[0.3]]), 0.95, low)).all()
    assert np.isnan(jackknife_t(np.array([0.3]), np.array([[0.3, np.nan, 0.2]]), 0.95, low)).all()
