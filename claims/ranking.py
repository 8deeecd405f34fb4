"""Rank statistics over components; ties share their mean rank."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata


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
