"""The table of predictions and regions, row by row, and what holds for every interval."""

import operator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from claims.registration.model import Band, Equality, Threshold
from claims.verdict.regions import outcome

C, R, N = "confirmed", "refuted", "inconclusive"


@pytest.mark.parametrize(
    ("op", "lo", "hi", "expected"),
    [
        (">", 0.1, 1.0, C), (">", 0.0, 1.0, N), (">", -1.0, 0.0, R), (">", -1.0, 0.1, N), (">", -1.0, -0.1, R),
        (">=", 0.1, 1.0, C), (">=", 0.0, 1.0, C), (">=", -1.0, 0.0, N), (">=", -1.0, 0.1, N), (">=", -1.0, -0.1, R),
        ("<", -1.0, -0.1, C), ("<", -1.0, 0.0, N), ("<", 0.0, 1.0, R), ("<", -0.1, 1.0, N), ("<", 0.1, 1.0, R),
        ("<=", -1.0, -0.1, C), ("<=", -1.0, 0.0, C), ("<=", 0.0, 1.0, N), ("<=", -0.1, 1.0, N), ("<=", 0.1, 1.0, R),
        (">", 0.0, 0.0, R), (">=", 0.0, 0.0, C), ("<", 0.0, 0.0, R), ("<=", 0.0, 0.0, C),
    ],
)  # fmt: skip
def test_thresholds_at_zero(op, lo, hi, expected):
    assert outcome(lo, hi, Threshold(op=op, value=0)) == expected


@pytest.mark.parametrize(
    ("lo", "hi", "within"),
    [
        (0.2, 0.8, C), (0.0, 1.0, C), (-0.1, 1.0, N), (0.0, 1.1, N), (-0.1, 1.1, N),
        (-1.0, -0.1, R), (-1.0, 0.0, N), (1.1, 2.0, R), (1.0, 2.0, N), (0.5, 2.0, N),
        (0.0, 0.0, C), (1.0, 1.0, C), (-0.1, -0.1, R),
    ],
)  # fmt: skip
def test_bands_from_zero_to_one(lo, hi, within):
    mirrored = {C: R, R: C, N: N}[within]
    assert outcome(lo, hi, Band(op="within", low=0, high=1)) == within
    assert outcome(lo, hi, Band(op="outside", low=0, high=1)) == mirrored
    assert outcome(lo, hi, Equality(op="equals", value=0.5, tolerance=0.5)) == within


@pytest.mark.parametrize(("lo", "hi"), [(1.0, 0.0), (float("nan"), 1.0), (0.0, float("inf")), (float("-inf"), 0.0)])
def test_what_is_no_interval_has_no_outcome(lo, hi):
    with pytest.raises(ValueError, match="no interval"):
        outcome(lo, hi, Threshold(op=">", value=0))


# Few distinct values, so that bounds often coincide with thresholds, where the sides matter.
NUMBERS = st.integers(-8, 8).map(lambda eighth: eighth / 8) | st.floats(-2, 2)
INTERVALS = st.tuples(NUMBERS, NUMBERS).map(sorted)
THRESHOLDS = st.builds(Threshold, op=st.sampled_from([">", ">=", "<", "<="]), value=NUMBERS)
BANDS = st.builds(
    lambda ends, op: Band(op=op, low=min(ends), high=max(ends)),
    st.tuples(NUMBERS, NUMBERS),
    st.sampled_from(["within", "outside"]),
)
EQUALITIES = st.builds(Equality, op=st.just("equals"), value=NUMBERS, tolerance=st.sampled_from([0.125, 0.25, 0.5, 1]))
PREDICTIONS = THRESHOLDS | BANDS | EQUALITIES


COMPARISONS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


def is_true(value: float, predict: Threshold | Band | Equality) -> bool:
    """Whether the prediction holds of a known value: written from its meaning, not from the rule."""
    if isinstance(predict, Threshold):
        return COMPARISONS[predict.op](value, predict.value)
    if isinstance(predict, Band):
        return (predict.low <= value <= predict.high) == (predict.op == "within")
    return predict.value - predict.tolerance <= value <= predict.value + predict.tolerance


@given(INTERVALS, PREDICTIONS, st.floats(0, 1))
def test_a_decision_is_true_of_every_value_in_the_interval(interval, predict, share):
    lo, hi = interval
    inside = min(max(lo + (hi - lo) * share, lo), hi)
    word = outcome(lo, hi, predict)
    for value in (lo, inside, hi):
        if word == C:
            assert is_true(value, predict)
        if word == R:
            assert not is_true(value, predict)


@given(INTERVALS, PREDICTIONS)
def test_indecision_means_that_both_are_possible(interval, predict):
    """Exhaustive: an interval is left undecided only where it holds a value that meets and one that misses."""
    lo, hi = interval
    if outcome(lo, hi, predict) != N:
        return
    edges = [lo, hi] + ([predict.value] if isinstance(predict, Threshold) else [])
    if isinstance(predict, Band):
        edges += [predict.low, predict.high]
    if isinstance(predict, Equality):
        edges += [predict.value - predict.tolerance, predict.value + predict.tolerance]
    truths = {is_true(edge, predict) for edge in edges if lo <= edge <= hi}
    assert truths == {True, False}


@given(INTERVALS, PREDICTIONS, st.floats(0, 2), st.floats(0, 2))
def test_widening_never_makes_or_changes_a_decision(interval, predict, below, above):
    lo, hi = interval
    assert outcome(lo - below, hi + above, predict) in {outcome(lo, hi, predict), N}


@given(NUMBERS, PREDICTIONS)
def test_a_known_value_is_always_decided(value, predict):
    assert outcome(value, value, predict) == (C if is_true(value, predict) else R)


@given(INTERVALS, NUMBERS)
def test_opposite_comparisons_exchange_the_decisions(interval, value):
    lo, hi = interval
    exchanged = {C: R, R: C, N: N}
    for op, opposite in ((">", "<="), (">=", "<")):
        word = outcome(lo, hi, Threshold(op=op, value=value))
        assert outcome(lo, hi, Threshold(op=opposite, value=value)) == exchanged[word]


@given(INTERVALS, THRESHOLDS)
def test_less_mirrors_greater(interval, predict):
    lo, hi = interval
    mirror = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[predict.op]
    assert outcome(-hi, -lo, Threshold(op=mirror, value=-predict.value)) == outcome(lo, hi, predict)


@given(INTERVALS, NUMBERS, st.sampled_from([0.125, 0.5]))
def test_equals_is_within(interval, value, tolerance):
    lo, hi = interval
    band = Band(op="within", low=value - tolerance, high=value + tolerance)
    assume(band.low < band.high)
    assert outcome(lo, hi, Equality(op="equals", value=value, tolerance=tolerance)) == outcome(lo, hi, band)
