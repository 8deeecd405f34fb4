"""What may change nothing, or must change bounds just so, whatever the method."""

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from claims.intervals import cluster_sums
from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means

BOOTSTRAPS = ["percentile", "bca", "studentised_bootstrap"]
OF_MEANS = [*BOOTSTRAPS, "jackknife_t", "student_t"]
OF_AUROCS = [*BOOTSTRAPS, "jackknife_t", "delong"]
SEEDS = st.integers(0, 2**64 - 1)
RESAMPLES = 99


def bounds(method, sample, seed=0, **limits):
    return by_cluster(method, sample, 0.9, RESAMPLES if method in BOOTSTRAPS else None, seed, **limits)


def near(expected):
    return pytest.approx(np.asarray(expected), nan_ok=True, abs=1e-9)


def rows(seed, clusters=12, size=2):
    """Two scorers' scores, with ties, labels, and clusters that hold both labels."""
    rng = np.random.default_rng(seed)
    positive = rng.random(clusters * size) < 0.5
    return np.round(rng.normal(size=(2, clusters * size)) + positive, 1), positive, np.arange(clusters * size) // size


@pytest.mark.parametrize("method", OF_MEANS)
@settings(max_examples=25)
@given(st.lists(st.integers(-20, 20), min_size=8, max_size=12), SEEDS, st.integers(-5, 5), st.integers(1, 7))
def test_bounds_of_a_mean_move_and_stretch_with_its_values(method, values, seed, shift, scale):
    values, names = np.array(values, dtype=float), range(len(values))
    here = bounds(method, Means.over(values[None], names), seed)
    assert bounds(method, Means.over(shift + scale * values[None], names), seed) == near(shift + scale * here)
    assert bounds(method, Means.over(-values[None], names), seed)[0] == near(-here[0, ::-1])


@pytest.mark.parametrize("method", ["jackknife_t", "student_t", "wilson"])
@settings(max_examples=25)
@given(st.lists(st.booleans(), min_size=3, max_size=12), st.randoms(use_true_random=False))
def test_what_draws_nothing_heeds_neither_order_nor_names(method, right, random):
    here = bounds(method, Means.over(np.array([right], dtype=float), range(len(right))), low=0, high=1)
    order = random.sample(range(len(right)), len(right))
    there = bounds(method, Means.over(np.array([right], dtype=float)[:, order], [str(k) for k in order]), low=0, high=1)
    assert there == near(here)


@pytest.mark.parametrize("method", OF_AUROCS)
@settings(max_examples=25)
@given(SEEDS)
def test_only_the_order_of_scores_counts_and_labels_and_scorers_mirror(method, seed):
    scores, positive, clusters = rows(seed)
    assume(len(set(positive[:8])) == 2)
    here = bounds(method, Aurocs.over(scores, positive, clusters), seed)
    stretched = bounds(method, Aurocs.over(np.exp(scores), positive, clusters), seed)
    assert np.array_equal(stretched, here, equal_nan=True)  # BCa has none where one scorer is always right
    mirrored = bounds(method, Aurocs.over(scores, ~positive, clusters), seed)
    assert mirrored == near(np.concatenate([1 - here[:2, ::-1], -here[2:, ::-1]]))
    swapped = bounds(method, Aurocs.over(scores[::-1], positive, clusters), seed)
    assert swapped == near(np.stack([here[1], here[0], -here[2, ::-1]]))


@pytest.mark.parametrize("method", ["jackknife_t", "percentile", "studentised_bootstrap"])
@settings(max_examples=25)
@given(SEEDS)
def test_rows_twice_in_their_clusters_tell_nothing_new(method, seed):
    scores, positive, clusters = rows(seed)
    once = Aurocs.over(scores, positive, clusters)
    twice = Aurocs.over(np.tile(scores, 2), np.tile(positive, 2), np.tile(clusters, 2))
    assert bounds(method, twice, seed) == near(bounds(method, once, seed))


@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_a_seed_says_all_and_chunks_say_nothing(method, monkeypatch):
    sample = Aurocs.over(*rows(1))
    whole = bounds(method, sample, seed=5)
    assert bounds(method, sample, seed=5).tolist() == whole.tolist()
    assert bounds(method, sample, seed=6).tolist() != whole.tolist()
    monkeypatch.setattr(cluster_sums, "HELD", 70)
    assert bounds(method, sample, seed=5).tolist() == whole.tolist()


@pytest.mark.parametrize("method", OF_MEANS)
def test_bounds_stay_in_the_range_of_each_statistic(method):
    values = np.stack([np.arange(10.0) % 2, np.arange(10.0)])
    free = bounds(method, Means.over(values, range(10)))
    held = bounds(method, Means.over(values, range(10)), low=np.array([0.0, -inf]), high=np.array([0.6, inf]))
    assert held[1] == near(free[1])
    assert 0 <= held[0, 0] < 0.5 < held[0, 1] <= 0.6


@pytest.mark.parametrize("method", OF_MEANS)
def test_thousands_of_statistics_are_as_if_each_were_alone(method):
    values = np.random.default_rng(3).gamma(2, size=(2000, 9))
    together = bounds(method, Means.over(values, range(9)), seed=2)
    for index in (0, 999, 1999):
        assert together[index] == near(bounds(method, Means.over(values[[index]], range(9)), seed=2)[0])
