import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from claims.ranking import auroc, spearman, spearman_along

VALUES = st.integers(-5, 5).map(float)


def test_auroc_counts_the_pairs_that_are_in_order():
    # Positives 3 and 1 against negatives 2 and 0: three of four pairs are in order.
    assert auroc([3, 2, 1, 0], [True, False, True, False]) == 0.75


def test_auroc_counts_a_tie_as_half():
    assert auroc([1, 1, 0], [True, False, False]) == 0.75


@given(st.lists(st.tuples(VALUES, st.booleans()), min_size=2, max_size=30))
def test_auroc_is_mann_whitney_u_over_the_number_of_pairs(scored):
    positives = [value for value, positive in scored if positive]
    negatives = [value for value, positive in scored if not positive]
    values, labels = [value for value, _ in scored], [positive for _, positive in scored]
    if not positives or not negatives:
        with pytest.raises(ValueError, match="at least one positive"):
            auroc(values, labels)
        return
    u = stats.mannwhitneyu(positives, negatives, method="asymptotic").statistic
    assert auroc(values, labels) == pytest.approx(u / (len(positives) * len(negatives)))
    assert auroc([-value for value in values], labels) == pytest.approx(1 - auroc(values, labels))


def test_auroc_wants_one_label_for_each_score():
    with pytest.raises(ValueError, match="one label"):
        auroc([1, 2], [True])


@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=30))
def test_spearman_is_scipys_with_mean_ranks_for_ties(points):
    first, second = [a for a, _ in points], [b for _, b in points]
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert spearman(first, second) is None
        return
    assert spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize("count", [0, 1])
def test_spearman_of_fewer_than_two_is_undefined(count):
    assert spearman([1.0] * count, [2.0] * count) is None


def test_spearman_wants_rankings_of_the_same_things():
    with pytest.raises(ValueError, match="same length"):
        spearman([1, 2], [1])


@given(st.integers(2, 12), st.sampled_from([(), (3,), (2, 4)]), st.integers(1, 50), st.randoms(use_true_random=False))
def test_spearman_along_is_spearman_of_each_column(components, shape, values, random):
    def drawn():
        return np.array([random.randrange(values) for _ in range(components * int(np.prod(shape)))], dtype=float)

    first, second = (drawn().reshape(components, *shape) for _ in range(2))
    found = spearman_along(first, second)
    assert found.shape == shape
    for index in np.ndindex(shape):
        expected = spearman(list(first[:, *index]), list(second[:, *index]))
        assert found[index] == (
            pytest.approx(np.nan, nan_ok=True) if expected is None else pytest.approx(expected, abs=1e-12)
        )


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=70).filter(lambda values: len(set(values)) > 1))
def test_spearman_along_of_one_order_is_exactly_one(values):
    column = np.array(values, dtype=float)
    assert spearman_along(column, np.exp(column)) == 1
    assert spearman_along(column, -column) == -1


def test_spearman_along_is_undefined_where_a_ranking_says_nothing():
    ranked, tied, undefined = np.array([1.0, 2, 3]), np.zeros(3), np.array([1, np.nan, 3])
    first, second = np.stack([ranked] * 3, axis=1), np.stack([ranked, tied, undefined], axis=1)
    assert spearman_along(first, second).tolist() == pytest.approx([1, np.nan, np.nan], nan_ok=True)
    assert np.isnan(spearman_along(ranked[:1], ranked[:1]))
    with pytest.raises(ValueError, match="same shape"):
        spearman_along(ranked, ranked[:2])
