"""Which outcomes a prediction can have at all, given what its metric can possibly be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import floor, isfinite
from typing import TypeGuard

from claims.instruments.manifest import Metric
from claims.registration.model import Band, Prediction
from claims.verdict.regions import bounds, outcome


def reversed_band(predict: Prediction) -> TypeGuard[Band]:
    """Whether it is a band that holds no interval, as its low is not below its high: a slip, and no bold prediction."""
    return isinstance(predict, Band) and not predict.low < predict.high


def reachable(predict: Prediction, metric: Metric) -> set[str]:
    """The outcomes of all intervals inside the metric's range that the verdict would accept.

    The outcome changes only at the bounds of the prediction, so intervals between points on, between and beyond
    those stand for all; of a metric that is a whole number, those between whole numbers there. Only an exact metric
    has intervals of zero width: the verdict voids others as degenerate.
    """
    tried = points(bounds(predict), metric)
    return {
        outcome(lo, hi, predict)
        for index, lo in enumerate(tried)
        for hi in tried[index if metric.exact else index + 1 :]
    }


def points(thresholds: Sequence[float], metric: Metric) -> list[float]:
    """Points of the metric's range, in order: its ends, the thresholds within it, and two in every gap between.

    Of a metric that is a whole number: the whole numbers next to those, two on either side.
    """
    inside = [value for value in thresholds if metric.low <= value <= metric.high]
    low = metric.low if isfinite(metric.low) else min([0.0, *inside, *_finite(metric.high)]) - 1
    high = metric.high if isfinite(metric.high) else max([0.0, *inside, low]) + 1
    marks = sorted({low, *inside, high})
    if metric.integer:
        near = {float(floor(mark) + step) for mark in marks for step in range(-2, 3)}
        return sorted(whole for whole in near if metric.low <= whole <= metric.high)
    between = [left + (right - left) * share for left, right in pairwise(marks) for share in (0.25, 0.75)]
    return sorted({*marks, *between})


def _finite(value: float) -> list[float]:
    return [value] if isfinite(value) else []
