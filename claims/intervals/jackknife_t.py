"""Student's interval around an estimate whose spread is that of its delete-one-cluster values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
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
    if len(values) < 2:  # noqa: PLR2004  # one cluster has no spread
        raise ValueError("a jackknife needs at least two clusters")
    if not differ(values, low, high):
        return estimate, estimate
    below, above = around(np.array([estimate]), values[None], level)[0]
    return max(low, float(below)), min(high, float(above))


def around(values: Floats, left_out: Floats, level: float) -> Floats:
    """The same bounds (M, 2) of M estimates (M,) and their delete-one values (M, G), not clipped."""
    clusters = left_out.shape[1]
    with np.errstate(all="ignore"):
        half = t.ppf((1 + level) / 2, clusters - 1) * np.sqrt((clusters - 1) * left_out.var(axis=1))
        bounds: Floats = np.stack([values - half, values + half], axis=1)
    return bounds
