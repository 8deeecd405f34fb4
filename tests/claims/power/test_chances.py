"""The rule of verdicts, of many intervals at once, is the rule of verdicts."""

from collections import Counter
from math import inf, nan

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from claims.power.chances import chances
from claims.registration.model import Prediction
from claims.verdict.regions import outcome

NUMBERS = st.integers(-4, 4).map(lambda step: step / 4)  # few, so that bounds meet thresholds
BANDS = st.tuples(NUMBERS, NUMBERS).filter(lambda ends: ends[0] < ends[1])
PREDICTIONS = st.one_of(
    st.builds(lambda op, value: {"op": op, "value": value}, st.sampled_from([">", ">=", "<", "<="]), NUMBERS),
    st.builds(
        lambda op, ends: {"op": op, "low": ends[0], "high": ends[1]}, st.sampled_from(["within", "outside"]), BANDS
    ),
    st.builds(lambda value: {"op": "equals", "value": value, "tolerance": 0.25}, NUMBERS),
).map(TypeAdapter(Prediction).validate_python)


@given(PREDICTIONS, st.lists(BANDS, min_size=1, max_size=20))
def test_many_intervals_come_out_as_each_of_them_would(predict, intervals):
    found = chances(np.array(intervals), predict)
    words = Counter(outcome(lo, hi, predict) for lo, hi in intervals)
    shares = (found.confirmed, found.refuted, found.inconclusive, found.void)
    expected = [words[word] / len(intervals) for word in ("confirmed", "refuted", "inconclusive", "void")]
    np.testing.assert_allclose(shares, expected)


@settings(max_examples=30)
@given(PREDICTIONS)
def test_no_interval_and_one_without_width_are_void(predict):
    found = chances(np.array([[0.5, 0.5], [nan, nan], [-inf, 1], [0, inf]]), predict)
    assert (found.void, found.confirmed, found.refuted, found.inconclusive) == (1, 0, 0, 0)
    assert found.error(0.5) == 0.25
