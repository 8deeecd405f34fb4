"""AUROCs over rows in clusters against every pair of a positive and a negative looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.intervals.aurocs import Aurocs
from claims.ranking import auroc

SCORES = st.integers(-3, 3).map(float)
ROWS = st.lists(st.tuples(SCORES, SCORES, st.booleans(), st.integers(0, 4)), min_size=2, max_size=24)


def aurocs(rows):
    first, second, positive, clusters = zip(*rows, strict=True)
    return Aurocs.over(np.array([first, second]), np.array(positive), np.array(clusters))


def by_pairs(rows):
    """The two AUROCs and their gap; NaN without one of the labels."""
    labels = [row[2] for row in rows]
    if not any(labels) or all(labels):
        return np.full(3, np.nan)
    first, second = (auroc([row[k] for row in rows], labels) for k in (0, 1))
    return np.array([first, second, second - first])


def groups(rows):
    return [[row for row in rows if row[3] == name] for name in sorted({row[3] for row in rows})]


@settings(max_examples=50)
@given(ROWS)
def test_values_and_what_is_left_without_each_cluster(rows):
    sample = aurocs(rows)
    assert sample.values() == pytest.approx(by_pairs(rows), nan_ok=True)
    for index, own in enumerate(groups(rows)):
        rest = [row for row in rows if row[3] != own[0][3]]
        assert sample.left_out()[:, index] == pytest.approx(by_pairs(rest), nan_ok=True)


@settings(max_examples=50)
@given(ROWS, st.data())
def test_pairs_of_clusters_count_as_rows_do_to_the_last_bit(rows, data):
    sample = aurocs(rows)
    numbers = st.lists(st.integers(0, 3), min_size=sample.clusters, max_size=sample.clusters)
    counts = np.array(data.draw(st.lists(numbers, min_size=2, max_size=3)), dtype=float)
    by_rows = [np.stack([own.in_order(one[None])[0] for one in counts]) for own in sample.placements]
    assert [own.in_order(counts).tolist() for own in sample.placements] == [own.tolist() for own in by_rows]
    for own in sample.placements:
        assert own.few
        for label, found in enumerate(own.by_cluster(counts)):
            assert found.tolist() == [own.by_cluster(one[None])[label][0].tolist() for one in counts]


@settings(max_examples=50)
@given(ROWS, st.data())
def test_a_resample_and_its_error_are_of_the_rows_that_were_drawn(rows, data):
    """A cluster drawn twice is two clusters: either may be left out, and its rows meet the other's."""
    sample, own = aurocs(rows), groups(rows)
    drawn = data.draw(st.lists(st.sampled_from(range(len(own))), min_size=len(own), max_size=len(own)))
    counts = np.bincount(drawn, minlength=len(own))[None].astype(float)
    assert sample.of(counts)[:, 0] == pytest.approx(by_pairs([row for at in drawn for row in own[at]]), nan_ok=True)
    left = [by_pairs([row for at in drawn[:k] + drawn[k + 1 :] for row in own[at]]) for k in range(len(drawn))]
    expected = np.sqrt((len(drawn) - 1) * np.var(left, axis=0))
    assert sample.errors_of(counts)[:, 0] == pytest.approx(expected, nan_ok=True, abs=1e-9)
