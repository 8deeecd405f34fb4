"""Means over rows in clusters, and means over groups of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.intervals.means import Means, cluster_sizes, kish

ROWS = st.lists(st.tuples(st.integers(-4, 4), st.sampled_from("ab"), st.integers(0, 4)), min_size=2, max_size=20)


def columns(rows):
    values, groups, clusters = zip(*rows, strict=True)
    return np.array(values, dtype=float), groups, clusters


def of_groups(rows, names):
    found = [[row[0] for row in rows if row[1] == name] for name in names]
    return np.mean([np.mean(values) if values else np.nan for values in found])


@settings(max_examples=50)
@given(ROWS)
def test_a_mean_of_rows_and_what_is_left_without_each_cluster(rows):
    values, _, clusters = columns(rows)
    sample = Means.over(np.stack([values, -2 * values]), clusters)
    assert sample.values() == pytest.approx([values.mean(), -2 * values.mean()])
    assert sample.rows == len(rows)
    assert sample.weights.sum() ** 2 / (sample.weights**2).sum() == pytest.approx(kish(cluster_sizes(clusters)))
    for index, name in enumerate(sorted(set(clusters))):
        rest = [row[0] for row in rows if row[2] != name]
        assert sample.left_out()[0, index] == pytest.approx(np.mean(rest) if rest else np.nan, nan_ok=True)


@settings(max_examples=50)
@given(ROWS)
def test_every_group_weighs_the_same_however_many_rows_it_has(rows):
    values, groups, clusters = columns(rows)
    names = sorted(set(groups))
    sample = Means.over_groups(values, groups, clusters)
    assert sample.values() == pytest.approx(of_groups(rows, names))
    for index, name in enumerate(sorted(set(clusters))):
        rest = of_groups([row for row in rows if row[2] != name], names)
        assert sample.left_out()[0, index] == pytest.approx(rest, nan_ok=True)


def test_a_cluster_weighs_what_its_rows_do_in_their_groups():
    """Three rows of one group against one of another: a row of the latter weighs as much as all three."""
    sample = Means.over_groups(np.ones(4), list("aaab"), list("xxyz"))
    assert sample.weights == pytest.approx([2 / 3, 1 / 3, 1])
    assert sample.rows == pytest.approx(4 / (3 * (1 / 3) ** 2 + 1))
    assert not sample.plain
    assert Means.over_groups(np.ones(2), list("aa"), list("xy")).plain


def test_kish_counts_clusters_as_if_they_were_of_one_size():
    assert cluster_sizes(["b", "a", "b"]).tolist() == [1, 2]
    assert kish(cluster_sizes(["a", "b", "c"])) == 3
    assert kish(cluster_sizes(["a", "a", "a", "b"])) == pytest.approx(16 / 10)
