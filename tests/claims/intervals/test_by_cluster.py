"""Bootstraps by cluster against the same resamples taken one by one, and against SciPy's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from scipy import stats

from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums, draws
from claims.intervals.jackknife_t import jackknife_t
from claims.intervals.means import Means
from claims.intervals.order_statistics import between, upper
from claims.registration.model import Prediction
from claims.verdict.regions import outcome

BOOTSTRAPS = ["percentile", "bca", "studentised_bootstrap"]
VALUES = np.random.default_rng(2).gamma(2, size=25)


def mean(values):
    """Of the values as clusters of one."""
    values = np.asarray(values, dtype=float)
    return ClusterSums(np.stack([np.ones_like(values), values]), lambda totals: totals[1:] / totals[:1])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_is_close_to_scipys(method):
    lo, hi = by_cluster(method, mean(VALUES), 0.9, 40_000, seed=1)[0]
    theirs = stats.bootstrap(
        (VALUES,),
        np.mean,
        confidence_level=0.9,
        n_resamples=40_000,
        method={"bca": "BCa"}.get(method, method),
        rng=np.random.default_rng(0),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert (lo, hi) == pytest.approx((theirs.low, theirs.high), abs=0.02 * width)
    if method == "bca":  # which a percentile interval is not
        plain = by_cluster("percentile", mean(VALUES), 0.9, 40_000, seed=1)[0]
        assert abs(lo - plain[0]) > 0.02 * width


def test_studentised_one_by_one():
    errors, ratios, value = stats.sem(VALUES), [], VALUES.mean()
    for (counts,) in draws(25, 999, seed=7, size=10**9):
        drawn = np.repeat(VALUES, counts.astype(int))
        ratios.append((drawn.mean() - value) / stats.sem(drawn))
    ratios.sort()
    expected = (value - errors * ratios[949], value - errors * ratios[49])
    assert by_cluster("studentised_bootstrap", mean(VALUES), 0.9, 999, seed=7)[0] == pytest.approx(expected)


def test_the_jackknife_is_of_the_values_without_each_cluster():
    left_out = [float(np.delete(VALUES, index).mean()) for index in range(25)]
    expected = jackknife_t(VALUES.mean(keepdims=True), np.array([left_out]), 0.95, 0, np.inf)[0]
    found = by_cluster("jackknife_t", mean(VALUES), 0.95, None, 0, 0, np.inf)[0]
    assert found == pytest.approx((min(VALUES.mean(), expected[0]), max(VALUES.mean(), expected[1])))


@pytest.mark.parametrize("method", BOOTSTRAPS)
@given(st.lists(st.integers(-3, 3), min_size=3, max_size=12), st.integers(0, 9))
def test_bounds_hold_their_value_or_are_none(method, values, seed):
    sample = mean(values)
    lo, hi = by_cluster(method, sample, 0.9, 200, seed)[0]
    if len(set(values)) == 1:
        assert np.isnan([lo, hi]).all() if method == "bca" else lo == hi == sample.values()[0]
    elif np.isfinite([lo, hi]).all():
        assert lo <= sample.values()[0] <= hi


@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_what_is_often_undefined_has_no_bounds(method):
    """Defined only where the last of four clusters is in, as in two resamples of three."""
    sample = ClusterSums(
        np.array([[1.0, 1, 1, 1], [1, 2, 3, 4], [0, 0, 0, 1]]),
        lambda totals: np.where(totals[2:] > 0, totals[1:2] / totals[:1], np.nan),
    )
    assert not np.isfinite(by_cluster(method, sample, 0.9, 400, seed=0)).all()


class TestABoundWithoutEnd:
    """Is the end of the range, where that has one: it leaves nothing out, so that nothing is decided on its side."""

    # Defined only where the last of four clusters is in: as it is without, in one resample of three.
    SUMS = np.array([[1.0, 1, 1, 1], [1, 2, 3, 4], [0, 0, 0, 1]])
    PREDICTIONS = (
        *({"op": op, "value": value} for op in (">", ">=", "<", "<=") for value in (0.01, 0.5, 0.99)),
        *({"op": op, "value": value} for op, value in ((">", 0), ("<", 1))),
        {"op": "within", "low": 0.01, "high": 0.99},
        {"op": "outside", "low": 0.2, "high": 0.4},
        {"op": "equals", "value": 0.5, "tolerance": 0.2},
    )

    @pytest.mark.parametrize("method", ["percentile", "studentised_bootstrap"])
    @pytest.mark.parametrize("seed", range(5))
    def test_of_a_range_with_two_ends_it_is_they(self, method, seed):
        sample = ClusterSums(self.SUMS, lambda totals: np.where(totals[2:] > 0, totals[1:2] / totals[:1] / 5, np.nan))
        assert not np.isfinite(by_cluster(method, sample, 0.9, 400, seed)).any()
        lo, hi = by_cluster(method, sample, 0.9, 400, seed, 0, 1)[0]
        assert (lo, hi) == (0, 1) or np.isnan([lo, hi]).all()

    @pytest.mark.parametrize("method", ["percentile", "studentised_bootstrap"])
    def test_of_a_range_with_one_end_the_other_is_still_none(self, method):
        sample = ClusterSums(self.SUMS, lambda totals: np.where(totals[2:] > 0, totals[1:2] / totals[:1], np.nan))
        lo, hi = by_cluster(method, sample, 0.9, 400, 0, 0)[0]
        assert not np.isfinite(hi)
        assert lo == 0 or np.isnan(lo)

    @pytest.mark.parametrize("predict", PREDICTIONS)
    def test_the_whole_range_decides_nothing(self, predict):
        """Nor does a bound at one of the range's ends, whatever the other is, decide what turns at that end."""
        prediction = TypeAdapter(Prediction).validate_python(predict)
        assert outcome(0, 1, prediction) == "inconclusive"
        for lo, hi in ((0, 0.5), (0.5, 1)):
            if predict["op"] in {">", "<"} and predict["value"] in {lo, hi} & {0, 1}:
                assert outcome(lo, hi, prediction) == "inconclusive"


@pytest.mark.parametrize(
    ("method", "sample", "why"),
    [
        ("bca", mean(VALUES), "needs a number of resamples"),
        ("exact", mean(VALUES), "exact is no interval over clusters"),
        ("wilson", mean(VALUES), "say what each cluster weighs"),
        ("wilson", Means.over(VALUES[None], range(25)), "from 0 to 1: these are"),
        ("delong", Means.over(VALUES[None], range(25)), "delong is for AUROCs"),
        ("student_t", mean(VALUES), "plain means of independent values"),
        ("student_t", Means.over(VALUES[None], [0, *range(24)]), "these come 1 to 2 to a cluster"),
        ("student_t", Means.over_groups(VALUES, [0, *[1] * 24], range(25)), "plain means"),
        ("student_t", Aurocs.over(VALUES[None], VALUES > 2, range(25)), "plain means"),
    ],
)
def test_a_method_says_what_it_is_for(method, sample, why):
    with pytest.raises(ValueError, match=why):
        by_cluster(method, sample, 0.9, None, seed=0)


def test_student_is_of_the_values_or_of_means_of_clusters_of_one_size():
    expected = stats.t.interval(0.95, 24, VALUES.mean(), stats.sem(VALUES))
    assert by_cluster("student_t", Means.over(VALUES[None], range(25)), 0.95, None, 0)[0] == pytest.approx(expected)
    five = Means.over(VALUES[None], np.arange(25) // 5)
    of_five = VALUES.reshape(5, 5).mean(axis=1)
    expected = stats.t.interval(0.95, 4, of_five.mean(), stats.sem(of_five))
    assert by_cluster("student_t", five, 0.95, None, 0)[0] == pytest.approx(expected)


class TestBcaIsRefused:
    """It has a correction only where resamples lie on both sides and the jackknife shows a spread."""

    def test_where_no_cluster_makes_a_difference(self):
        assert np.isnan(by_cluster("bca", mean([2.0] * 9), 0.9, 99, seed=0)).all()

    def test_where_the_jackknife_is_undefined_without_one_of_the_clusters(self):
        sums = np.array([[1.0, 1, 1, 1], [1, 2, 3, 4], [0, 0, 0, 1]])
        sample = ClusterSums(sums, lambda totals: np.where(totals[2:] > 0, totals[1:2] / totals[:1], np.nan))
        assert np.isnan(by_cluster("bca", sample, 0.9, 400, seed=0)).all()

    def test_where_every_resample_is_on_one_side(self):
        """The largest of all values: no resample is above it, and the jackknife differs without its cluster alone."""
        sample = ClusterSums(np.eye(6), lambda totals: (totals > 0).sum(axis=0, keepdims=True).astype(float))
        assert np.isnan(by_cluster("bca", sample, 0.9, 400, seed=0)).all()

    def test_where_the_acceleration_has_no_end(self):
        """One cluster of thirty makes all the difference: for an acceleration of 0.158 6.4 errors are too many."""
        values = [1e6, *range(29)]
        assert np.isfinite(by_cluster("bca", mean(values), 0.9, 400, seed=0)).all()
        assert np.isnan(by_cluster("bca", mean(values), 1 - 1e-12, 400, seed=0)).all()


def test_ties_with_the_estimate_count_half_whatever_rounding_makes_of_them():
    """A tenth is not a number of the machine: sums of it in other orders come apart."""
    whole = np.array([0.0, 1, 1, 2, 3, 3, 5, 8, 9, 12])
    expected = by_cluster("bca", mean(whole), 0.9, 999, seed=4)[0]
    assert by_cluster("bca", mean(whole * 0.1), 0.9, 999, seed=4)[0] == pytest.approx(expected * 0.1)
    assert by_cluster("bca", mean(whole - whole.mean()), 0.9, 999, seed=4)[0] == pytest.approx(expected - whole.mean())


def test_a_bound_leaves_its_share_beyond_it_and_what_is_undefined_is_beyond_either():
    values = np.arange(1.0, 100.0)

    def tails(values, share):
        (found,) = between(values[None].copy(), np.array([share]), np.array([share])).tolist()
        assert upper(values, share) == found[1]
        return found

    assert tails(values, 0.05) == [5, 95]
    assert tails(values, 0.001) == [-np.inf, np.inf]
    few = np.where(values <= 4, np.nan, values)
    assert tails(few, 0.05) == [5, 99]
    assert tails(few, 0.04) == [-np.inf, np.inf]


def test_against_the_range_of_a_gap_rounding_around_zero_is_no_difference():
    """Without a range, a difference of one part in a hundred is one, however small the values."""
    sample = mean(1e-16 * VALUES)
    assert by_cluster("percentile", sample, 0.9, 99, 0, -1, 1)[0].tolist() == [sample.values()[0]] * 2
    lo, hi = by_cluster("percentile", sample, 0.9, 99, 0)[0]
    assert lo < hi
