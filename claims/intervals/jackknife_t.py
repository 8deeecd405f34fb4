"""Student's interval around estimates whose spread is that of their delete-one-cluster values."""

from __future__ import annotations

from math import inf

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.scale import Scale


def jackknife_t(
    values: Floats, left_out: Floats, level: float, low: float | Floats = -inf, high: float | Floats = inf
) -> Floats:
    """Bounds (M, 2) of M estimates (M,), equal-tailed at `level`, from their delete-one values (M, G).

    Estimate ± t se with G - 1 degrees of freedom; se² = (G - 1) / G times the sum of squared deviations of the values
    left out from their mean (Efron and Tibshirani 1993, eq. 11.5). Of a range [low, high] with an end, all of that is
    on the scale on which it has none, where the estimate is first corrected for its bias: the mean of pseudo-values
    G estimate - (G - 1) value left out (Tukey 1958; Miller 1974), and so need not lie between its bounds. Plain t
    around a mean that is near an end of its range misses the truth on that side up to four times as often as it should:
    docs/statistics.md. NaN where a value left out is undefined or lies at an end, and of one cluster alone.
    """
    clusters, scale = left_out.shape[1], Scale.of(low, high, len(values))
    with np.errstate(all="ignore"):
        center, without = scale.stretched(values[:, None]), scale.stretched(left_out)
        half = t.ppf((1 + level) / 2, clusters - 1) * np.sqrt((clusters - 1) * without.var(axis=1, keepdims=True))
        bias = (clusters - 1) * (without.mean(axis=1, keepdims=True) - center)
        center = np.where(scale.straight, center, center - bias)
        bounds = scale.shrunk(np.concatenate([center - half, center + half], axis=1))
    return np.where(np.isfinite(without).all(axis=1, keepdims=True), bounds, np.nan)
