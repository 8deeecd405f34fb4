"""The bias-corrected and accelerated interval of a bootstrap by cluster."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from claims.intervals.cluster_sums import Floats
from claims.intervals.order_statistics import between
from claims.intervals.sample import Sample, resampled
from claims.intervals.spread import ROUNDING


def bca(sample: Sample, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2) by Efron (1987), as in Efron and Tibshirani 1993, section 14.3; acceleration by jackknife.

    Resampled values that equal the estimate, or are undefined, count half towards its bias. A bound is infinite where
    too many resamples leave the statistic undefined or without bounds. Both are NaN where the correction is not
    defined: all resamples lie on one side of the estimate, the jackknife has no spread or is undefined somewhere, or
    the acceleration is so large that the correction has no end.
    """
    drawn = resampled(sample, resamples, seed, sample.held, sample.of)
    left_out = sample.left_out()
    bias, acceleration = _bias(drawn, sample.values(), left_out), _acceleration(left_out)
    ends = ndtri((1 + level) / 2) * np.array([-1.0, 1.0])
    with np.errstate(all="ignore"):
        off = bias[:, None] + ends
        stretch = 1 - acceleration[:, None] * off
        shares = ndtr(bias[:, None] + off / stretch)
    shares[~(np.isfinite(shares) & np.isfinite(off) & (stretch > 0)).all(axis=1)] = np.nan
    return between(drawn, shares[:, 0], 1 - shares[:, 1])


def _bias(drawn: Floats, values: Floats, left_out: Floats) -> Floats:
    """(M,), z0: the normal quantile of the share of resampled values (M, B) below the estimate, but for rounding."""
    value = np.where(np.isfinite(values), values, np.nan)[:, None]
    near = ROUNDING * np.abs(left_out).max(axis=1, keepdims=True)
    below, above = (drawn < value - near).mean(axis=1), (drawn > value + near).mean(axis=1)
    bias: Floats = ndtri((1 + below - above) / 2)
    return bias


def _acceleration(left_out: Floats) -> Floats:
    """(M,), a sixth of the skewness of the jackknife's values (M, G) (Efron and Tibshirani 1993, eq. 14.15)."""
    with np.errstate(all="ignore"):
        off = left_out.mean(axis=1, keepdims=True) - left_out
        acceleration: Floats = (off**3).sum(axis=1) / (6 * (off**2).sum(axis=1) ** 1.5)
    return acceleration
