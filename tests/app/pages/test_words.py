from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages import words
from claims.registration.model import Band, Equality, Threshold

finite = st.floats(allow_nan=False, allow_infinity=False)


def read_back(shown: str) -> float:
    return float(shown.replace(words.MINUS, "-"))


@given(value=finite, threshold=finite)
def test_rounding_never_moves_a_number_across_its_threshold(value: float, threshold: float):
    shown = read_back(words.number(value, beside=(threshold,)))
    assert (shown > threshold, shown < threshold) == (value > threshold, value < threshold)


@given(finite)
def test_a_figure_is_the_number_that_was_written(value: float):
    assert read_back(words.figure(value)) == value


@pytest.mark.parametrize(
    ("value", "beside", "shown"),
    [
        (-0.5660377358490566, (0.0,), "\u22120.566"),
        (0.0004, (0.0,), "4.00e\u22124"),
        (0.49996, (0.5,), "0.49996"),
        (-0.0, (), "0.000"),
        (12_345_678.0, (), "1.23e7"),
        (float("inf"), (), "∞"),
    ],
)
def test_numbers(value: float, beside: tuple[float, ...], shown: str):
    assert words.number(value, beside=beside) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "0.5"), (12.0, "12"), (1e-5, "1e\u22125"), (-3, "\u22123"), (0.1 + 0.2, "0.30000000000000004")],
)
def test_figures(value: float, shown: str):
    assert words.figure(value) == shown


def test_a_count_that_was_measured_has_no_decimals():
    assert words.measurement(22.0) == "22"
    assert words.measurement(0.9571) == "0.957"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.41, "0.4 s"), (59.6, "1 min"), (200, "3 min 20 s"), (7200, "2 h"), (187_205, "2 d 4 h"), (86_405, "1 d")],
)
def test_durations(seconds: float, shown: str):
    assert words.duration(seconds) == shown


def test_times_are_utc_whatever_their_zone():
    there = datetime(2026, 11, 30, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    assert words.utc(there) == words.utc(datetime(2026, 11, 30, 12, 0, tzinfo=UTC)) == "2026-11-30T12:00:00Z"


def test_controls_that_reorder_text_are_written_out():
    assert words.visible("a\u202eb\u2066c") == "a⟨U+202E⟩b⟨U+2066⟩c"
    assert words.visible("שלום") == "שלום"


@pytest.mark.parametrize(
    ("predict", "shown"),
    [
        (Threshold(op=">=", value=0.5), "≥ 0.5"),
        (Band(op="outside", low=-1, high=1), "outside [\u22121, 1]"),
        (Equality(op="equals", value=-0.171, tolerance=0.01), "= \u22120.171 ± 0.01"),
    ],
)
def test_conditions(predict: Threshold | Band | Equality, shown: str):
    assert words.condition(predict) == shown
