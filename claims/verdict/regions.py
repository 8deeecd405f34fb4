"""The three-way rule: what an interval says of a prediction."""

from __future__ import annotations

from math import isfinite
from typing import Literal

from claims.registration.model import Band, Prediction, Threshold

Outcome = Literal["confirmed", "refuted", "inconclusive"]


def outcome(lo: float, hi: float, predict: Prediction) -> Outcome:
    """What the closed interval [lo, hi] says of `predict`: exactly one of three, for every interval.

    Raises ValueError for what is no interval: bounds that are not finite, or in the wrong order.
    """
    if not (isfinite(lo) and isfinite(hi) and lo <= hi):
        raise ValueError(f"[{lo}, {hi}] is no interval")
    if isinstance(predict, Threshold):
        confirmed, refuted = _beyond(lo, hi, predict)
    else:
        inside, apart = _against_band(lo, hi, *bounds(predict))
        confirmed, refuted = (apart, inside) if predict.op == "outside" else (inside, apart)
    if confirmed:
        return "confirmed"
    return "refuted" if refuted else "inconclusive"


def bounds(predict: Prediction) -> tuple[float, ...]:
    """The values at which the outcome can change: one threshold, or the two ends of a band."""
    if isinstance(predict, Threshold):
        return (predict.value,)
    if isinstance(predict, Band):
        return (predict.low, predict.high)
    return (predict.value - predict.tolerance, predict.value + predict.tolerance)


def _beyond(lo: float, hi: float, predict: Threshold) -> tuple[bool, bool]:
    """Whether all of the interval satisfies the comparison, and whether none of it does."""
    value = predict.value
    return {
        ">": (lo > value, hi <= value),
        ">=": (lo >= value, hi < value),
        "<": (hi < value, lo >= value),
        "<=": (hi <= value, lo > value),
    }[predict.op]


def _against_band(lo: float, hi: float, low: float, high: float) -> tuple[bool, bool]:
    """Whether the interval lies inside the closed band, and whether it lies wholly apart from it."""
    return lo >= low and hi <= high, hi < low or lo > high
