"""DeLong's interval against published figures and against its definition, pair by pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

from claims.intervals.aurocs import Aurocs
from claims.intervals.by_cluster import by_cluster
from claims.intervals.delong import variances

SCORES = st.integers(-3, 3).map(float)
ROWS = st.lists(st.tuples(SCORES, SCORES, st.booleans(), st.integers(0, 6)), min_size=4, max_size=30)


def kernel(positives, negatives):
    """(m, n), 1 where a positive scores above a negative, one half for a tie."""
    return (positives[:, None] > negatives) + (positives[:, None] == negatives) / 2


def pairs(scores, positive):
    """The kernels of both scorers and of the gap."""
    first, second = (kernel(row[positive], row[~positive]) for row in scores)
    return [first, second, second - first]


def test_hanley_and_mcneils_ratings():
    """58 normal and 51 abnormal images rated 1 to 5 (1982, table 1): area 0.8932, DeLong's error 0.0307, interval
    0.83295 to 0.95339 with the normal quantile, as Stata's manual prints them under `roctab`."""
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    scores = np.concatenate([np.repeat(range(1, 6), numbers) for numbers in (normal, abnormal)]).astype(float)
    sample = Aurocs.over(scores[None], np.arange(109) >= 58, np.arange(109))
    area, error = sample.values()[0], np.sqrt(variances(sample)[0])
    assert (area, error) == pytest.approx((0.8932, 0.0307), abs=5e-5)
    assert area + 1.959964 * error * np.array([-1, 1]) == pytest.approx([0.83295, 0.95339], abs=5e-6)
    lo, hi = by_cluster("delong", sample, 0.95, None, 0, 0, 1)[0]
    ends = logit(area) + stats.t.ppf(0.975, 50) * error / (area * (1 - area)) * np.array([-1, 1])
    assert (lo, hi) == pytest.approx(tuple(expit(ends)))


def test_rows_of_their_own_have_delongs_variance():
    rng = np.random.default_rng(4)
    positive = rng.random(80) < 0.4
    scores = np.round(rng.normal(size=(2, 80)) + positive * np.array([[0.8], [1.2]]), 1)
    m, n = positive.sum(), (~positive).sum()
    expected = [own.mean(1).var(ddof=1) / m + own.mean(0).var(ddof=1) / n for own in pairs(scores, positive)]
    assert variances(Aurocs.over(scores, positive, np.arange(80))) == pytest.approx(expected)


@settings(max_examples=50)
@given(ROWS)
def test_rows_in_clusters_have_obuchowskis_variance(rows):
    first, second, positive, clusters = map(np.array, zip(*rows, strict=True))
    found = variances(Aurocs.over(np.stack([first, second]), positive, clusters))
    held = [len(set(clusters[own])) for own in (positive, ~positive)]
    if min(held) < 2:
        assert np.isnan(found).all()
        return
    names = sorted(set(clusters))
    for own, variance in zip(pairs((first, second), positive), found, strict=True):
        (m, n), area = own.shape, own.mean()
        ten = np.array([(own.mean(1) - area)[clusters[positive] == name].sum() for name in names])
        one = np.array([(own.mean(0) - area)[clusters[~positive] == name].sum() for name in names])
        parts = [(ten @ ten) * held[0] / (held[0] - 1) / m**2, (one @ one) * held[1] / (held[1] - 1) / n**2]
        both = 2 * len(names) / (len(names) - 1) * (ten @ one) / (m * n)
        assert variance == pytest.approx(max(0, sum(parts) + both), abs=1e-12)


def test_what_has_no_variance_has_no_width_and_a_label_of_one_cluster_no_interval():
    positive = np.array([True] * 4 + [False] * 4)
    apart = Aurocs.over(positive[None].astype(float), positive, np.arange(8))
    assert by_cluster("delong", apart, 0.95, None, 0, 0, 1).tolist() == [[1, 1]]
    scores = np.array([[1.0, 2, 3, 4, 0, 2, 5, 1]])
    one = Aurocs.over(scores, positive, np.array([0, 0, 0, 0, 1, 2, 3, 4]))
    assert np.isnan(by_cluster("delong", one, 0.95, None, 0, 0, 1)).all()


def test_a_gap_is_symmetric_and_as_uncertain_as_its_smaller_label_allows():
    rng = np.random.default_rng(1)
    positive = np.arange(60) < 12
    sample = Aurocs.over(rng.normal(size=(2, 60)) + positive, positive, np.arange(60))
    bounds, gap = by_cluster("delong", sample, 0.9, None, 0)[2], sample.values()[2]
    half = stats.t.ppf(0.95, 11) * np.sqrt(variances(sample)[2])
    assert bounds == pytest.approx([gap - half, gap + half])
