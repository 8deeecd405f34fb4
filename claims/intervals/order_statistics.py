"""Quantiles of resampled values, as values that were drawn."""

from __future__ import annotations

from math import floor

import numpy as np

from claims.intervals.cluster_sums import Floats


def lower(values: Floats, share: float) -> float:
    """Of B values, the one of rank floor((B + 1) share), so that at most `share` of them lie below.

    Nothing is interpolated, for infinite values are values. An undefined one (NaN) counts as below all others, and
    where there are too few values for the share, the answer is minus infinity.
    """
    rank = min(floor(round((len(values) + 1) * share, 6)), len(values))
    ordered = np.sort(np.where(np.isnan(values), -np.inf, values))
    return float(ordered[rank - 1]) if rank else float("-inf")


def upper(values: Floats, share: float) -> float:
    """The same from the other end: at most `share` lie above, undefined ones among them."""
    return -lower(-values, share)
