"""Quoted numbers: how they may be written, and when one is the correct rounding of what was recorded.

Arithmetic is exact, over decimals: the estimate is the decimal that the ledger prints, not its binary neighbour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

NUMBER = r"(?:&minus;|[+\-−])?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"  # noqa: RUF001 - people do write a true minus
PERCENT = r"(?:\s|\\,)?\\?%"
_WHOLE = re.compile(rf"(?P<number>{NUMBER})(?P<percent>{PERCENT})?")
_LONGEST = 60
_LARGEST_EXPONENT = 400  # of doubles, the largest is 10^308 and the smallest 10^-324
_PERCENT = 100
# Enough digits for any two numbers of these exponents side by side.
_DIGITS = 2 * _LARGEST_EXPONENT + _LONGEST


@dataclass(frozen=True)
class Written:
    """A number as somebody wrote it: `value` without the percent sign, which says that it is in hundredths."""

    text: str
    value: Decimal
    percent: bool = False

    @property
    def place(self) -> int:
        """The power of ten of its last digit: -2 for 0.57, 0 for 57, -6 for 1.20e-4."""
        exponent = self.value.as_tuple().exponent
        assert isinstance(exponent, int), "a written number is finite"
        return exponent


def read_number(text: str) -> Written:
    """The number that `text` is, all of it; raises ValueError, with what it may be, for anything else."""
    whole = _WHOLE.fullmatch(text) if len(text) <= _LONGEST else None
    if whole is None:
        raise ValueError(f"{text[:_LONGEST]!r} is no number such as -0.57, 1.2e-5 or 43.4%")
    digits = whole["number"].replace("&minus;", "-").replace("−", "-")  # noqa: RUF001
    _, _, exponent = digits.lower().partition("e")
    if exponent and abs(int(exponent)) > _LARGEST_EXPONENT:
        raise ValueError(f"{text!r} is beyond every estimate: exponents lie within ±{_LARGEST_EXPONENT}")
    return Written(text, Decimal(digits), percent=whole["percent"] is not None)


@dataclass(frozen=True)
class AsWritten:
    """Correct at the precision it is written with: within half a unit of its last digit, ties either way."""

    def __str__(self) -> str:
        return "the decimals written"


@dataclass(frozen=True)
class Places:
    """Correct, and no finer, at so many decimals."""

    places: int

    def __str__(self) -> str:
        return f"{self.places} decimals"


@dataclass(frozen=True)
class Significant:
    """Correct, and no finer, at so many significant digits."""

    digits: int

    def __str__(self) -> str:
        return f"{self.digits} significant digits"


@dataclass(frozen=True)
class Within:
    """At most so far from what was recorded, in the unit that is written."""

    tolerance: Decimal

    def __str__(self) -> str:
        return f"±{self.tolerance}"


Rule = AsWritten | Places | Significant | Within


def recorded_decimal(value: float, *, percent: bool, negated: bool) -> Decimal:
    """What the ledger holds, in the unit that is quoted: the shortest decimal of the double, which it prints."""
    with localcontext(prec=_DIGITS):
        decimal = Decimal(repr(value)) * (_PERCENT if percent else 1)
        return -decimal if negated else decimal


def agrees(written: Decimal, recorded: Decimal, rule: Rule) -> bool:
    """Whether a quoted number is right of a recorded one under this rule; both in the same unit."""
    apart = abs(Fraction(written) - Fraction(recorded))
    if isinstance(rule, Within):
        return apart <= Fraction(rule.tolerance)
    unit = Fraction(10) ** _unit(written, recorded, rule)
    return apart <= unit / 2 and (Fraction(written) / unit).denominator == 1


def as_it_should_be(written: Written, recorded: Decimal, rule: Rule) -> str:
    """What to write in place of `written`: the recorded number rounded half to even, in the same form."""
    if isinstance(rule, Within):
        place = min(written.place, rule.tolerance.adjusted())  # no coarser than the tolerance
    else:
        place = _unit(written.value, recorded, rule)
    with localcontext(prec=_DIGITS):
        rounded = recorded.quantize(Decimal(1).scaleb(place), rounding=ROUND_HALF_EVEN)
    rounded = rounded or abs(rounded)  # nobody writes -0.0
    exponent_form = "e" in written.text.lower()
    text = f"{rounded:e}" if exponent_form else f"{rounded:f}"
    return f"{text}%" if written.text.endswith("%") else text


def _unit(written: Decimal, recorded: Decimal, rule: AsWritten | Places | Significant) -> int:
    """The power of ten to which the rule rounds."""
    if isinstance(rule, Places):
        return -rule.places
    if isinstance(rule, Significant) and recorded:
        return recorded.adjusted() - rule.digits + 1
    return Written("", written).place
