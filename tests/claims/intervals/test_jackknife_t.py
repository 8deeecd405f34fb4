import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from claims.intervals.jackknife_t import jackknife_t

SAMPLES = st.lists(st.floats(-1, 1).map(lambda value: round(value, 6)), min_size=3, max_size=40)


@given(SAMPLES)
def test_of_a_mean_it_is_students_interval(sample):
    assume(len(set(sample)) > 1)
    values = np.array(sample)
    left_out = [float(np.delete(values, index).mean()) for index in range(len(values))]
    expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert jackknife_t(float(values.mean()), left_out, 0.95, -9, 9) == pytest.approx(expected, abs=1e-9)


def test_bounds_stay_within_the_range():
    assert jackknife_t(0.9, [0.0, 0.9, 1.0], 0.95, -1, 1) == (-1, 1)


def test_no_spread_gives_no_width():
    assert jackknife_t(0.3, [0.3, 0.3, 0.3], 0.95, -1, 1) == (0.3, 0.3)


def test_one_cluster_has_no_spread():
    with pytest.raises(ValueError, match="at least two"):
        jackknife_t(0.3, [0.3], 0.95, -1, 1)
