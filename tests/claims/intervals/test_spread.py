"""Equal values that rounding has set apart are equal; values that differ at all are not."""

from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means
from claims.intervals.spread import differ

RANGES = st.sampled_from([(-1.0, 1.0), (0.0, 1.0), (0.0, inf), (-inf, inf)])
STEPS = st.lists(st.integers(-8, 8), min_size=2, max_size=30)


def moved(value: float, steps: int) -> float:
    for _ in range(abs(steps)):
        value = nextafter(value, inf if steps > 0 else -inf)
    return value


def gaps_of(numerator: int, denominator: int, organisms: int) -> list[float]:
    """The same gap from different AUCs: as numbers of the machine, not all the same."""
    first = range(denominator // 2, denominator // 2 + organisms)
    return [(first_auc + numerator) / denominator - first_auc / denominator for first_auc in first]


@given(st.integers(1, 9), st.integers(20, 90), st.integers(2, 10), RANGES)
def test_equal_gaps_have_no_width(numerator, denominator, organisms, limits):
    sample = Means.over(np.array([gaps_of(numerator, denominator, organisms)]), range(organisms))
    (mean,) = sample.values()
    assert mean == pytest.approx(numerator / denominator)
    for method in ("student_t", "jackknife_t"):
        assert by_cluster(method, sample, 0.95, None, 0, *limits)[0].tolist() == [mean, mean]


def test_the_gap_of_two_thirty_ninths_is_one_that_rounding_sets_apart():
    gaps = gaps_of(2, 39, 8)
    assert len(set(gaps)) > 1
    assert not differ(np.array(gaps), -1, 1)


@given(st.floats(-1, 1), STEPS, RANGES.filter(lambda limits: limits[1] == 1))
def test_a_few_units_in_the_last_place_are_no_difference(value, steps, limits):
    assert not differ(np.array([moved(value, step) for step in steps]), *limits)


@given(st.floats(1e-300, 1e300), STEPS)
def test_without_a_range_the_values_themselves_say_what_rounding_is(value, steps):
    assert not differ(np.array([moved(value, step) for step in steps]), 0, inf)
    assert differ(np.array([value, value * (1 + 1e-9)]), 0, inf)


@given(st.floats(-0.5, 0.5), st.floats(1e-9, 0.4))
def test_a_difference_that_was_measured_is_one(value, apart):
    assert differ(np.array([value, value + apart]), -1, 1)
    sample = Means.over(np.array([[value, value + apart]]), range(2))
    lo, hi = by_cluster("student_t", sample, 0.95, None, 0, -1, 1)[0]
    assert lo < hi
    assert lo <= sample.values()[0] <= hi
