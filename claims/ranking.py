"""Rank statistics over components; ties share their mean rank."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The probability that a positive scores above a negative, ties counting one half (Mann-Whitney U / n+ n-).

    Raises ValueError when the lengths differ or either class is empty: there is then nothing to tell apart.
    """
    labels = np.asarray(positive, dtype=bool)
    if len(scores) != len(labels):
        raise ValueError("one label for each score")
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if not positives or not negatives:
        raise ValueError("a ranking is scored against at least one positive and one negative")
    ranks = rankdata(np.asarray(scores, dtype=float))
    return float((ranks[labels].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rho, the Pearson correlation of mean ranks; None when undefined (fewer than two, or all tied)."""
    if len(first) != len(second):
        raise ValueError("rankings of the same things have the same length")
    if len(first) < 2:  # noqa: PLR2004  # one point has no order
        return None
    a, b = (rankdata(np.asarray(values, dtype=float)) for values in (first, second))
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return min(1.0, max(-1.0, float(a @ b) / scale)) if scale else None


def spearman_along(first: Floats, second: Floats) -> Floats:
    """Spearman's rho of each column of two arrays (C, ...), as (...): C components, any number of rankings at once.

    Ties share their mean rank. NaN where a ranking is all ties, holds a NaN, or C is below two. Exactly 1 and -1 for
    rankings in the same and in opposite order. Raises ValueError where the shapes differ.
    """
    if first.shape != second.shape:
        raise ValueError(f"rankings of the same things have the same shape, not {first.shape} and {second.shape}")
    a, b = (_centred_ranks(values) for values in (first, second))
    across, of_first, of_second = (np.einsum("...c,...c->...", x, y) for x, y in ((a, b), (a, a), (b, b)))
    with np.errstate(invalid="ignore"):  # all ties: 0 / 0
        found: Floats = np.clip(across / np.sqrt(of_first * of_second), -1, 1)
    return found


def _centred_ranks(values: Floats) -> Floats:
    """Mean ranks less their mean, (..., C) of values (C, ...); 0 where a column is all ties or holds a NaN.

    Multiples of one half, so that sums of their products are exact.
    """
    rows = np.moveaxis(values, 0, -1).reshape(math.prod(values.shape[1:]), len(values))
    order, ranks = np.argsort(rows, axis=1), np.empty(rows.shape)
    ordered = np.take_along_axis(rows, order, axis=1)
    np.put_along_axis(ranks, order, np.arange(len(values), dtype=float)[None], axis=1)
    tied = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    shared = np.empty((len(tied), len(values)))
    np.put_along_axis(shared, order[tied], _shared(ordered[tied]), axis=1)
    ranks[tied] = shared
    ranks -= (len(values) - 1) / 2
    ranks[np.isnan(ordered[:, -1:]).any(axis=1)] = 0  # NaN is sorted last
    return ranks.reshape(*values.shape[1:], len(values))


def _shared(ordered: Floats) -> Floats:
    """(R, C), the mean place of the run of equal values that each of `ordered` (R, C), sorted rows, stands in."""
    starts = np.ones(ordered.shape, dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = starts.cumsum().ravel() - 1
    place = np.tile(np.arange(ordered.shape[1], dtype=float), len(ordered))
    mean: Floats = np.bincount(run, weights=place) / np.bincount(run)
    shared: Floats = mean[run].reshape(ordered.shape)
    return shared
