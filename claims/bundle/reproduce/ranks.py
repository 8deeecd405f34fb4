"""Means and rank statistics, exact or correctly rounded wherever it matters, so that every platform agrees."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean of at least one value, from a sum that is rounded once."""
    return fsum(values) / len(values)


def mean_ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, the smallest first; ties share the mean of the ranks that they take up."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        stop = start
        while stop < len(order) and values[order[stop]] == values[order[start]]:
            stop += 1
        for place in order[start:stop]:
            ranks[place] = (start + 1 + stop) / 2
        start = stop
    return ranks


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; None when undefined: fewer than two values, or all of one side equal."""
    if len(first) < 2:  # noqa: PLR2004  # one point has no slope
        return None
    a, b = mean(first), mean(second)
    above = fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True))
    below = sqrt(fsum((x - a) ** 2 for x in first) * fsum((y - b) ** 2 for y in second))
    return max(-1.0, min(1.0, above / below)) if below else None


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho: Pearson's correlation of mean ranks; None when undefined, as `pearson` says."""
    return pearson(mean_ranks(first), mean_ranks(second))


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """The share of (positive, negative) pairs in which the positive scores higher, ties counting one half.

    None when there is no such pair.
    """
    above = [score for score, label in zip(scores, positive, strict=True) if label]
    below = [score for score, label in zip(scores, positive, strict=True) if not label]
    if not above or not below:
        return None
    won = sum((high > low) + (high == low) / 2 for high in above for low in below)
    return won / (len(above) * len(below))
