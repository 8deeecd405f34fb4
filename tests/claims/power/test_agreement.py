"""A rho between two noisy rankings: what its interval is made from, and how often it decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from claims.evidence import Estimate
from claims.instruments.manifest import Metric
from claims.power.agreement import Agreement, groups
from claims.power.chances import chances
from claims.power.recorded import sd_of
from claims.registration.model import Threshold

RHO = Metric("rho", "of two rankings", low=-1, high=1, statistic="agreement")
LEVEL = 0.95


def drawn(value, sd, n, reliability=1.0, replicates=20_000):
    rho = Agreement("agreement", sd, -1, 1, value, reliability=reliability, registered=n)
    return rho.bounds(value, LEVEL, n, replicates)


def estimate(value, lo, hi, n):
    counted = {"n": n, "n_effective": n, "unit": "cluster"}
    return Estimate(value=value, lo=lo, hi=hi, level=LEVEL, method="jackknife_t", **counted)


@given(st.floats(-0.6, 0.6), st.floats(0.05, 0.3), st.floats(0.6, 1), st.integers(8, 40))
def test_an_interval_tells_the_sd_that_it_was_made_from(rho, half, reliability, n):
    """As `claims.instruments.agreement_halves.bounds` makes it: an eighth of the correction is added on its side."""
    plain = reliability * rho
    added = (rho - plain) / 8
    lo, hi = rho - half + min(added, 0), rho + half + max(added, 0)
    if lo < plain < hi and max(-lo, hi) < 1:
        found = sd_of(estimate(plain, lo, hi, n), RHO)
        assert found == pytest.approx(half / t.ppf(0.975, min(n, 12) - 1) * np.sqrt(n))


@pytest.mark.parametrize(("lo", "hi"), [(0.4, 1.0), (-1.0, 0.1)])
def test_a_clipped_one_tells_none(lo, hi):
    assert sd_of(estimate((lo + hi) / 2, lo, hi, 20), RHO) is None


def test_without_noise_it_is_students_interval_over_the_groups_left_out():
    assert (groups(8), groups(12), groups(50)) == (8, 12, 12)
    found = drawn(0.2, 0.5, 20)
    assert found.mean(axis=1).std() == pytest.approx(0.5 / np.sqrt(20), rel=0.03)
    halves = np.ptp(found, axis=1) / 2
    assert np.sqrt((halves**2).mean()) == pytest.approx(t.ppf(0.975, 11) * 0.5 / np.sqrt(20), rel=0.03)
    assert ((found[:, 0] > 0.2) | (found[:, 1] < 0.2)).mean() == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(("value", "op", "threshold"), [(0.8, ">", 0.6), (-0.8, "<", -0.6), (0.8, "<", 0.95)])
def test_noise_in_the_rankings_makes_it_harder_to_say_how_large_it_is(value, op, threshold):
    """The interval holds the rho of the rankings as they are, 0.56 at a reliability of 0.7."""
    predict = Threshold(op=op, value=threshold)
    clean, noisy = (chances(drawn(value, 0.3, 20, part), predict).confirmed for part in (1.0, 0.7))
    assert noisy < clean - 0.1


def test_it_is_decided_on_which_side_of_0_it_lies_all_the_same():
    above = Threshold(op=">", value=0)
    clean, noisy = (chances(drawn(0.3, 0.4, 20, part), above).confirmed for part in (1.0, 0.7))
    assert noisy == pytest.approx(clean, abs=0.02)
    assert 0.5 < clean < 0.99


def test_of_more_clusters_rankings_are_more_reliable():
    """Spearman and Brown: twice as many at 0.6 have 2 * 0.6 / 1.6."""
    rho = Agreement("agreement", 0.3, -1, 1, 0.5, reliability=0.6, registered=20)
    assert rho.reliability_of(20) == pytest.approx(0.6)
    assert rho.reliability_of(40) == pytest.approx(0.75)
    assert rho.reliability_of(10) == pytest.approx(0.3 / 0.7)
