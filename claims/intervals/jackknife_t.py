"""Student's interval around an estimate whose spread is that of its delete-one-cluster values."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.scale import Scale
from claims.intervals.spread import differ

FEWEST = 8


def jackknife_t(
    estimate: float, left_out: Sequence[float], level: float, low: float, high: float
) -> tuple[float, float]:
    """The bounds that `around` gives one estimate, widened, if need be, to hold it.

    `left_out` holds the estimate without each of the n clusters in turn. Values that are all equal, but for rounding,
    give an interval of no width. Raises ValueError for fewer than two.
    """
    values = np.asarray(left_out, dtype=float)
    if len(values) < 2:  # noqa: PLR2004  # one cluster has no spread
        raise ValueError("a jackknife needs at least two clusters")
    if not differ(values, low, high):
        return estimate, estimate
    below, above = around(np.array([estimate]), values[None], level, low, high)[0]
    return min(estimate, float(below)), max(estimate, float(above))


def around(
    values: Floats, left_out: Floats, level: float, low: float | Floats = -inf, high: float | Floats = inf
) -> Floats:
    """Bounds (M, 2) of M estimates (M,), equal-tailed at `level`, from their delete-one values (M, G).

    Estimate ± t se with G - 1 degrees of freedom; se² = (G - 1) / G times the sum of squared deviations of the values
    left out from their mean (Efron and Tibshirani 1993, eq. 11.5). Of a range [low, high] with an end, all of that is
    on the scale on which it has none, where the estimate is first corrected for its bias: the mean of pseudo-values
    G estimate - (G - 1) value left out (Tukey 1958; Miller 1974). Plain t around a mean that is near an end of its
    range misses the truth on that side up to four times as often as it should: docs/statistics.md. NaN where a value
    lies at an end.
    """
    clusters, scale = left_out.shape[1], Scale.of(low, high, len(values))
    with np.errstate(all="ignore"):
        center, without = scale.stretched(values[:, None]), scale.stretched(left_out)
        half = t.ppf((1 + level) / 2, clusters - 1) * np.sqrt((clusters - 1) * without.var(axis=1, keepdims=True))
        bias = (clusters - 1) * (without.mean(axis=1, keepdims=True) - center)
        center = np.where(scale.straight, center, center - bias)
        bounds = scale.shrunk(np.concatenate([center - half, center + half], axis=1))
    return np.where(np.isfinite(without).all(axis=1, keepdims=True), bounds, np.nan)
