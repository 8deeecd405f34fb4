"""Quantiles of resampled values, as values that were drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from claims.intervals.cluster_sums import Floats


def upper(values: Floats, share: float) -> float:
    """Of B values, the one beyond which at most `share` of them lie: the upper bound of `between`."""
    return float(between(values[None].copy(), np.array([0.5]), np.array([share]))[0, 1])


def between(values: Floats, below: Floats, above: Floats) -> Floats:
    """(M, 2) of each row of `values` (M, B): what at most the share `below` (M,) lies below, and `above` (M,) above.

    It is the value of rank floor((B + 1) share) from either end. Nothing is interpolated, for infinite values are
    values. An undefined one (NaN) counts as beyond all others at both ends, and where there are too few values for the
    share, the bound is infinite. A share that is NaN has a bound that is. The rows are sorted in place.
    """
    values.sort(axis=1)  # NaN last
    undefined = np.isnan(values).sum(axis=1)
    low, high = _rank(values.shape[1], below), _rank(values.shape[1], above)
    lows = _at(values, low - 1 - undefined, low > undefined, -np.inf)
    highs = _at(values, values.shape[1] - high, high > undefined, np.inf)
    bounds = np.stack([lows, highs], axis=1)
    bounds[np.isnan(np.stack([below, above], axis=1))] = np.nan
    return bounds


def _rank(count: int, shares: Floats) -> NDArray[np.int64]:
    """(M,), from 0, where there are too few values, to `count`; rounded first, for 0.05 * 400 is no whole number."""
    ranks = np.floor(np.round((count + 1) * np.nan_to_num(shares), 6))
    return np.clip(ranks, 0, count).astype(np.int64)


def _at(values: Floats, column: NDArray[np.int64], there: NDArray[np.bool_], otherwise: float) -> Floats:
    found = np.take_along_axis(values, np.where(there, column, 0)[:, None], axis=1)[:, 0]
    return np.where(there, found, otherwise)
