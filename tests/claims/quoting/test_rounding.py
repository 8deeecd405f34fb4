"""Which quoted numbers are right of which recorded ones."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.quoting.rounding import (
    AsWritten,
    Places,
    Significant,
    Within,
    agrees,
    as_it_should_be,
    read_number,
    recorded_decimal,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def right(text, value, rule=AsWritten(), **unit):  # noqa: B008 - a rule without state
    written = read_number(text)
    percent = unit.pop("percent", written.percent)
    return agrees(written.value, recorded_decimal(value, percent=percent, negated=unit.pop("negated", False)), rule)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-0.57", -0.5660),
        ("\N{MINUS SIGN}0.57", -0.5660),
        ("&minus;0.57", -0.5660),
        ("+0.57", 0.5660),
        ("-0.566", -0.5660),
        ("-0.5660", -0.5660),
        (".57", 0.5660),
        ("1", 0.5),
        ("0", 0.5),
        ("0.56", 0.565),
        ("0.57", 0.565),
        ("0.12", 0.125),
        ("0.13", 0.125),
        ("1.2e-5", 0.0000123),
        ("1.2E-05", 0.0000123),
        ("43.4%", 0.434),
        (r"43\%", 0.434),
        ("0.00", -0.001),
        ("-0.00", 0.001),
        ("12", 12),
    ],
)
def test_the_decimals_written_decide(text, value):
    assert right(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-0.56", -0.5660),
        ("0.57", -0.5660),
        ("-0.570", -0.5660),
        ("-0.6", -0.5499),
        ("0.434%", 0.434),
        ("43.4", 0.434),
        ("1.3e-5", 0.0000123),
        ("0.01", 0.0049999),
    ],
)
def test_what_is_not_the_correct_rounding_is_wrong(text, value):
    assert not right(text, value)


@pytest.mark.parametrize(
    ("text", "rule", "holds"),
    [
        ("-0.566", Significant(3), True),
        ("-0.57", Significant(3), False),
        ("-0.5660", Significant(3), True),
        ("-0.5661", Significant(3), False),
        ("-0.57", Places(2), True),
        ("-0.6", Places(2), False),
        ("-0.6", Places(1), True),
        ("-0.566", Places(2), False),
        ("-0.56", Within(Decimal("0.006")), True),
        ("-0.56", Within(Decimal("0.0059")), False),
    ],
)
def test_rules(text, rule, holds):
    assert right(text, -0.566, rule) is holds


def test_significant_digits_carry_and_zero_is_zero():
    assert right("1.00", 0.9996, Significant(3))
    assert not right("0.999", 0.9996, Significant(3))
    assert right("1200", 1234.0, Significant(2))
    assert right("0", 0.0, Significant(3))
    assert not right("0.001", 0.0, Significant(3))


def test_percent_and_negation():
    assert right("56.6", -0.566, percent=True, negated=True)
    assert right("0.57", -0.566, negated=True)
    assert not right("-0.57", -0.566, negated=True)


@pytest.mark.parametrize(
    "text", ["", "1.", "1,200", "0x10", "1e999999999", "nan", "inf", "1 2", "½", "٣", "9" * 80, "--1"]
)
def test_what_is_no_number(text):
    with pytest.raises(ValueError, match=r"number|exponents"):
        read_number(text)


@given(FINITE, st.integers(0, 12))
def test_what_python_rounds_to_is_right_and_a_unit_beside_it_is_not(value, places):
    written = f"{Decimal(repr(value)):.{places}f}"
    if len(written) > 60:
        return
    assert right(written, value)
    assert right(written, value, Places(places))
    with localcontext(prec=100):
        beside = Decimal(written) + Decimal(2).scaleb(-places)
    assert not right(f"{beside:f}", value)


@given(FINITE, FINITE, st.integers(1, 17))
def test_what_is_told_to_write_is_right(value, other, digits):
    for rule in (AsWritten(), Significant(digits), Within(Decimal("1e300"))):
        written = read_number(f"{other:.4e}")
        recorded = recorded_decimal(value, percent=False, negated=False)
        told = as_it_should_be(written, recorded, rule)
        assert agrees(Decimal(told), recorded, rule)


@given(FINITE, st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9))
def test_a_right_number_is_within_half_a_unit_of_its_last_digit(value, written):
    close = abs(Fraction(written) - Fraction(Decimal(repr(value)))) <= Fraction(1, 2 * 10**6)
    assert right(f"{written:f}", value) == close


def test_nobody_is_told_to_write_a_negative_zero():
    recorded = recorded_decimal(-0.0081, percent=False, negated=False)
    assert as_it_should_be(read_number("0.9"), recorded, AsWritten()) == "0.0"
