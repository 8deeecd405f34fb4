"""Plain rank statistics and the planted key's formulas, against scipy and the instrument's own estimates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from claims import ranking
from claims.bundle.reproduce.ranks import auroc, mean, mean_ranks, spearman
from claims.bundle.script import formulas
from claims.instruments import catalogue
from claims.registration.model import Registration
from claims.rows import decode
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

few = st.integers(-4, 4).map(float)
numbers = st.lists(few | st.floats(-1e6, 1e6), min_size=1, max_size=30)


@given(numbers)
def test_ties_share_their_mean_rank(values):
    assert mean_ranks(values) == list(rankdata(values))


@given(st.lists(st.tuples(few, few), max_size=30))
def test_spearman_is_that_of_the_instruments(pairs):
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    expected, found = ranking.spearman(first, second), spearman(first, second)
    assert (found is None) == (expected is None)
    assert found is None or math.isclose(found, expected, abs_tol=1e-12)


@given(st.lists(st.tuples(few, st.booleans()), max_size=30))
def test_auroc_counts_pairs(scored):
    scores, labels = [score for score, _ in scored], [label for _, label in scored]
    found = auroc(scores, labels)
    if all(labels) or not any(labels):
        assert found is None
    else:
        assert math.isclose(found, ranking.auroc(scores, labels), abs_tol=1e-12)


def test_the_mean_does_not_depend_on_the_order():
    values = [1e16, 1.0, -1e16, 1.0]
    assert mean(values) == mean(sorted(values)) == 0.5


@pytest.mark.parametrize("organisms", [16, 24])
@pytest.mark.parametrize("key_size", [None, 2])
def test_the_planted_key_comes_out_as_the_instrument_estimates_it(planted, organisms, key_size):
    document, rows = planted(organisms)
    params = {name: value for name, value in document["instrument"]["params"].items() if name != "key_size"}
    if key_size is not None:
        params["key_size"] = key_size
    document["instrument"]["params"] = params
    registration = Registration.model_validate(document)
    estimated = catalogue()["planted_key_recovery"].estimate(decode(rows), registration, SEEDS)
    values = {name: estimate.value for name, estimate in estimated.estimates.items()}
    found = formulas("planted_key_recovery")(decode(rows), document)
    drawn = {name for name in estimated.diagnostics if "shuffled" in name}
    diagnostics = {name: value for name, value in estimated.diagnostics.items() if name not in drawn}
    assert found == pytest.approx({**values, **diagnostics}, abs=1e-12)
    assert len(drawn) == 2
    assert len(values) == 7
