"""Student's interval around an estimate whose spread is that of its delete-one-cluster values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from claims.intervals.spread import differ

FEWEST = 8


def jackknife_t(
    estimate: float, left_out: Sequence[float], level: float, low: float, high: float
) -> tuple[float, float]:
    """Estimate ± t se with n - 1 degrees of freedom, equal-tailed at `level`, clipped to [low, high].

    `left_out` holds the estimate without each of the n clusters in turn; se² = (n - 1) / n times the sum of their
    squared deviations from their mean (Efron and Tibshirani 1993, eq. 11.5). Values that are all equal, but for
    rounding, give an interval of no width. Raises ValueError for fewer than two.
    """
    values = np.asarray(left_out, dtype=float)
    n = len(values)
    if n < 2:  # noqa: PLR2004  # one cluster has no spread
        raise ValueError("a jackknife needs at least two clusters")
    if not differ(values, low, high):
        return estimate, estimate
    error = np.sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
    half = float(t.ppf((1 + level) / 2, n - 1) * error)
    return max(low, estimate - half), min(high, estimate + half)
