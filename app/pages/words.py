"""How values are put into words. Rounding a number never moves it across the threshold it is read against."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from claims.registration.model import Band, Equality, Prediction, Threshold

MINUS = "\u2212"
NOTHING = "\u2013"  # stands where there is no value
NO_BREAK = "\u00a0"
NARROW_SPACE = "\u202f"
COMPARATORS = {">": ">", ">=": "≥", "<": "<", "<=": "≤"}
_DIGITS = 17  # decimals, from which on every digit of the number is shown
_LARGE = 1e6  # from here on, and below the last decimal shown, powers of ten are easier to read

# Embeddings, overrides and isolates: they reorder the text around them, so they are shown, not obeyed.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """`text` with its bidirectional controls written out, as `⟨U+202E⟩`: what was frozen, not what it pretends."""
    return _REORDERING.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def number(value: float, *, beside: tuple[float, ...] = (), decimals: int = 3) -> str:
    """`value` to `decimals` places, and to more where rounding would move it onto or across a value of `beside`."""
    if not math.isfinite(value):
        return "∞" if value > 0 else MINUS + "∞"
    apart = value != 0 and not 10.0**-decimals <= abs(value) < _LARGE
    form, fewest = ("e", 2) if apart else ("f", decimals)
    for digits in range(fewest, _DIGITS):
        shown = f"{value:.{digits}{form}}"
        if all(_side(float(shown), threshold) == _side(value, threshold) for threshold in beside):
            mantissa, _, exponent = shown.partition("e")
            return _signed(f"{mantissa}e{int(exponent)}" if exponent else mantissa)
    return figure(value)


def figure(value: float) -> str:
    """A number as a person wrote it: `0.5`, `12`, a small one with an exponent, without zeros nobody wrote."""
    mantissa, _, exponent = repr(float(value)).removesuffix(".0").partition("e")
    return _signed(f"{mantissa}e{int(exponent)}" if exponent else mantissa)


def measurement(value: float, *, beside: tuple[float, ...] = ()) -> str:
    """A measured number: whole ones as counts, the others rounded."""
    return figure(value) if value == round(value) and abs(value) < _LARGE else number(value, beside=beside)


def interval(lo: float, hi: float, *, beside: tuple[float, ...] = (), decimals: int = 3) -> str:
    low, high = (number(bound, beside=beside, decimals=decimals) for bound in (lo, hi))
    return f"[{low},{NO_BREAK}{high}]"


def percent(share: float) -> str:
    """A share of one as a percentage: 0.95 is `95 %`, 0.975 is `97.5 %`."""
    return f"{share * 100:.4g}{NARROW_SPACE}%"


def count(value: int) -> str:
    """An integer with its thousands apart."""
    return f"{value:,}".replace(",", NARROW_SPACE)


def utc(moment: datetime) -> str:
    """The moment as people read it, to the second: `2026-11-30T12:00:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def duration(seconds: float) -> str:
    """A span of time in at most two units: `0.4 s`, `12 s`, `3 min 20 s`, `2 d 4 h`."""
    if seconds < 10:  # noqa: PLR2004 - tenths are worth reading only here
        return f"{seconds:.1f} s"
    whole = round(seconds)
    units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
    first = next(index for index, (size, _) in enumerate(units) if whole >= size)
    parts = []
    for size, name in units[first : first + 2]:
        amount, whole = divmod(whole, size)
        if amount:
            parts.append(f"{amount} {name}")
    return " ".join(parts)


def memory(size: float) -> str:
    """Bytes in binary units: `312 MiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(size) < 1024:  # noqa: PLR2004
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


def condition(predict: Prediction) -> str:
    """What was predicted of a metric, in symbols: `> 0`, `within [0.2, 0.4]`."""
    match predict:
        case Threshold():
            return f"{COMPARATORS[predict.op]} {figure(predict.value)}"
        case Band():
            return f"{predict.op} [{figure(predict.low)}, {figure(predict.high)}]"
        case Equality():
            return f"= {figure(predict.value)} ± {figure(predict.tolerance)}"


def thresholds(predict: Prediction) -> tuple[float, ...]:
    """The values at which the prediction turns from true to false."""
    match predict:
        case Threshold():
            return (predict.value,)
        case Band():
            return (predict.low, predict.high)
        case Equality():
            return (predict.value - predict.tolerance, predict.value + predict.tolerance)


def _side(value: float, threshold: float) -> int:
    return (value > threshold) - (value < threshold)


def _signed(text: str) -> str:
    if set(text) <= set("-0."):
        text = text.lstrip("-")
    return text.replace("-", MINUS)
