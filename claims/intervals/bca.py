"""The bias-corrected and accelerated interval of a bootstrap by cluster."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.order_statistics import lower, upper


def bca(sample: ClusterSums, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2) by Efron (1987), as in Efron and Tibshirani 1993, section 14.3; acceleration by jackknife.

    Resampled values that equal the estimate, or are undefined, count half towards its bias. A bound is infinite where
    too many resamples leave the statistic undefined or without bounds, NaN where all lie on one side of the estimate.
    """
    drawn = np.concatenate([sample.of(counts) for counts in sample.draws(resamples, seed)], axis=1)
    with np.errstate(all="ignore"):
        deviations = sample.left_out().mean(axis=1, keepdims=True) - sample.left_out()
        acceleration = (deviations**3).sum(axis=1) / (6 * (deviations**2).sum(axis=1) ** 1.5)
    value = sample.values()[:, None]
    below, above = (drawn < value).mean(axis=1), (drawn > value).mean(axis=1)
    shares = (1 + below - above) / 2
    return np.array([_bounds(*parts, level) for parts in zip(drawn, shares, acceleration, strict=True)])


def _bounds(values: Floats, below: float, acceleration: float, level: float) -> tuple[float, float]:
    bias, z = norm.ppf(below), norm.ppf((1 + level) / 2)
    if not np.isfinite(bias) or not np.isfinite(acceleration):
        return np.nan, np.nan
    low, high = (norm.cdf(bias + (bias + end) / (1 - acceleration * (bias + end))) for end in (-z, z))
    return lower(values, float(low)), upper(values, float(1 - high))
