import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from claims.intervals.student_t import student_t

SAMPLES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 6)), min_size=2, max_size=40)


def test_hand_worked():
    # mean 2.5, s^2 = 5/3, t(3; 0.975) = 3.182446: half-width 3.182446 * sqrt(5/3) / 2.
    mean, lo, hi = student_t([1, 2, 3, 4], 0.95, -100, 100)
    assert mean == 2.5
    assert (lo, hi) == pytest.approx((0.445739743, 4.554260257))


@given(SAMPLES, st.sampled_from([0.9, 0.95, 0.99, 1 - 0.05 / 3]))
def test_is_scipys_interval_clipped_to_the_range(sample, level):
    assume(len(set(sample)) > 1)
    expected = stats.t.interval(level, len(sample) - 1, np.mean(sample), stats.sem(sample))
    mean, lo, hi = student_t(sample, level, -1, 1)
    assert (lo, hi) == pytest.approx(tuple(np.clip(expected, -1, 1)))
    assert -1 <= lo <= mean <= hi <= 1


@given(st.floats(-1, 1), st.integers(2, 40))
def test_equal_values_give_no_width_to_the_last_bit(value, count):
    assert student_t([value] * count, 0.95, -1, 1) == (value, value, value)


def test_one_value_has_no_spread():
    with pytest.raises(ValueError, match="at least two"):
        student_t([1.0], 0.95, 0, 1)
