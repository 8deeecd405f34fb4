"""An sd is read back from the interval that was made of it."""

import numpy as np
import pytest
from scipy import stats

from claims.evidence import Estimate
from claims.instruments.manifest import Metric
from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means
from claims.power.recorded import recorded_of, sd_of

SHIFT, GAP = Metric("shift", "any number"), Metric("gap", "a difference", low=-1, high=1)


def estimate(value, lo, hi, **parts):
    of = {"level": 0.95, "method": "student_t", "unit": "organism", "n": 16, "n_effective": 16.0, **parts}
    return Estimate(value=value, lo=lo, hi=hi, **of)


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_the_sd_of_one_unit_is_that_of_the_values(level):
    values = np.random.default_rng(2).normal(0.3, 0.2, 16)
    lo, hi = stats.t.interval(level, 15, values.mean(), stats.sem(values))
    assert sd_of(estimate(values.mean(), lo, hi, level=level), SHIFT) == pytest.approx(values.std(ddof=1))


def test_of_an_interval_made_where_the_range_has_no_ends_the_width_there_counts():
    values = np.random.default_rng(2).normal(0.7, 0.05, 60)
    ((lo, hi),) = by_cluster("student_t", Means.over(values[None], range(60)), 0.95, None, 0, -1, 1)
    found = estimate(values.mean(), lo, hi, n=60)
    assert sd_of(found, GAP) == pytest.approx(values.std(ddof=1), rel=0.01)
    assert sd_of(found, SHIFT) == pytest.approx(values.std(ddof=1), rel=0.1)


def test_of_an_interval_cut_at_the_end_of_the_range_the_whole_side_counts():
    whole, cut = (estimate(0.9, 0.7, hi, method="percentile") for hi in (1.1, 1.0))
    assert sd_of(cut, GAP) == pytest.approx(sd_of(whole, SHIFT))


@pytest.mark.parametrize("parts", [{"method": "exact"}, {"n": 1}])
def test_some_intervals_say_nothing_of_a_spread(parts):
    assert sd_of(estimate(0.5, 0.4, 0.6, **parts), GAP) is None
    assert sd_of(estimate(0.5, 0.5, 0.5), GAP) is None
    assert recorded_of({"a": estimate(0.5, 0.4, 0.6, **parts)}, GAP, same_subject=True) is None


def test_of_several_claims_the_median_counts_and_those_are_named_that_say_something():
    found = {"c": estimate(0, -1, 1), "b": estimate(0, -3, 3), "x": estimate(0, 0, 0), "a": estimate(0, -2, 2)}
    recorded = recorded_of(found, SHIFT, same_subject=False)
    assert recorded.sd == pytest.approx(sd_of(found["a"], SHIFT))
    assert str(recorded) == "recorded: the median of 3 claims on other subjects (c, b, a)"
    one = recorded_of({"c": found["c"]}, SHIFT, same_subject=True)
    assert str(one) == "recorded: one claim on this subject (c)"
