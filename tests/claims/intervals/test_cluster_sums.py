"""Sums over clusters say what leaving clusters out, or drawing them anew, would have given pair by pair."""

import numpy as np
import pytest

from claims.intervals import cluster_sums
from claims.intervals.cluster_sums import ClusterSums, draws

RNG = np.random.default_rng(5)
PINNED = [[1.0, 1.0, 1.0, 0.0, 2.0], [1.0, 0.0, 3.0, 0.0, 1.0], [0.0, 2.0, 1.0, 2.0, 0.0]]
CLUSTERS = [RNG.normal(size=size) for size in (1, 4, 2, 7, 3)]


def mean_and_spread(values):
    return np.array([values.mean(), values.var()])


def statistics(totals):
    n, total, squares = totals
    return np.stack([total / n, squares / n - (total / n) ** 2])


@pytest.fixture
def sample():
    return ClusterSums(np.array([[len(v), v.sum(), (v**2).sum()] for v in CLUSTERS]).T, statistics)


def test_values_and_what_is_left_without_each_cluster(sample):
    assert sample.values() == pytest.approx(mean_and_spread(np.concatenate(CLUSTERS)))
    for index in range(5):
        rest = np.concatenate(CLUSTERS[:index] + CLUSTERS[index + 1 :])
        assert sample.left_out()[:, index] == pytest.approx(mean_and_spread(rest))


def test_the_error_of_a_resample_is_its_own_jackknife(sample):
    for drawn in ([0, 1, 2, 3, 4], [1, 1, 4, 3, 3], [2, 2, 2, 2, 0]):
        counts = np.bincount(drawn, minlength=5)[None].astype(float)
        left = [
            mean_and_spread(np.concatenate([CLUSTERS[name] for name in drawn[:at] + drawn[at + 1 :]]))
            for at in range(5)
        ]
        assert sample.of(counts)[:, 0] == pytest.approx(mean_and_spread(np.concatenate([CLUSTERS[n] for n in drawn])))
        assert sample.errors_of(counts)[:, 0] == pytest.approx(np.sqrt(4 / 5 * 5 * np.var(left, axis=0)))
    assert sample.errors() == pytest.approx(sample.errors_of(np.ones((1, 5)))[:, 0])


def test_what_was_not_drawn_need_not_be_defined_without():
    """Of a cluster of one pair and one of five the first was drawn twice: without the other, there were -3 pairs."""
    sample = ClusterSums(np.array([[1.0, 5.0], [3.0, 5.0]]), of_root)
    assert sample.errors_of(np.array([[2.0, 0.0]])) == pytest.approx(0)


def of_root(totals):
    with np.errstate(invalid="ignore"):
        return totals[1:] / np.sqrt(totals[:1])


def test_every_draw_is_of_as_many_clusters_and_the_same_however_many_at_a_time(monkeypatch):
    whole = np.concatenate(list(draws(7, 100, seed=3, size=7)))
    monkeypatch.setattr(cluster_sums, "HELD", 50)
    parts = list(draws(7, 100, seed=3, size=7))
    assert len(parts) == 15
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert (whole.sum(axis=1) == 7).all()
    assert whole.tolist() != np.concatenate(list(draws(7, 100, seed=4, size=7))).tolist()


def test_the_stream_is_pinned():
    """Other bounds for rows already judged would be another verdict."""
    assert next(draws(5, 3, seed=1, size=1)).tolist() == PINNED


def test_each_cluster_is_drawn_as_often():
    drawn = np.concatenate(list(draws(10, 20_000, seed=0, size=10)))
    assert drawn.mean(axis=0) == pytest.approx(1, abs=0.03)
    assert drawn.var(axis=0) == pytest.approx(0.9, abs=0.05)
