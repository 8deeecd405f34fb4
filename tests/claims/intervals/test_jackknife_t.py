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
    assert jackknife_t(float(values.mean()), left_out, 0.95, -np.inf, np.inf) == pytest.approx(expected, abs=1e-9)


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
    assert jackknife_t(0.56, list(left_out), 0.9, low, high) == pytest.approx(tuple(expected), rel=1e-9)


@given(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=30), st.sampled_from([0.9, 0.95, 0.99]))
def test_bounds_stay_within_the_range_and_hold_the_estimate(left_out, level):
    lo, hi = jackknife_t(0.5, left_out, level, 0, 1)
    assert 0 <= lo <= 0.5 <= hi <= 1


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


def test_no_spread_gives_no_width():
    assert jackknife_t(0.3, [0.3, 0.3, 0.3], 0.95, -1, 1) == (0.3, 0.3)


def test_one_cluster_has_no_spread():
    with pytest.raises(ValueError, match="at least two"):
        jackknife_t(0.3, [0.3], 0.95, -1, 1)
