"""One call for every interval over clusters, by the name that a registration gives it."""

from __future__ import annotations

from math import inf, nan

import numpy as np

from claims.intervals.bca import bca
from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.jackknife_t import jackknife_t
from claims.intervals.percentile import percentile
from claims.intervals.spread import differ
from claims.intervals.studentised_bootstrap import studentised_bootstrap
from claims.registration.model import IntervalMethod

_BOOTSTRAPS = {"percentile": percentile, "bca": bca, "studentised_bootstrap": studentised_bootstrap}


def by_cluster(method: IntervalMethod, sample: ClusterSums, level: float, resamples: int | None, seed: int) -> Floats:
    """Equal-tailed bounds (M, 2) of the sample's M statistics at `level`, widened, if need be, to hold their values.

    `resamples` and `seed` are what a bootstrap draws by; the jackknife draws nothing. A statistic that stays the same,
    but for rounding, whichever cluster is left out has bounds without width. Bounds that are NaN or infinite say that
    there is no interval. Raises ValueError for a method that is not over clusters, or a bootstrap without resamples.
    """
    values, left_out = sample.values(), sample.left_out()
    if method == "jackknife_t":
        bounds = _jackknife(values, left_out, level)
    elif method not in _BOOTSTRAPS or resamples is None:
        raise ValueError(f"{method} with {resamples} resamples is no interval over clusters")
    else:
        bounds = _BOOTSTRAPS[method](sample, level, resamples, seed)
    wide = np.stack([np.minimum(bounds[:, 0], values), np.maximum(bounds[:, 1], values)], axis=1)
    moved = np.array([not np.isfinite(row).all() or differ(row, -inf, inf) for row in left_out])
    return np.where(moved[:, None], wide, values[:, None])


def _jackknife(values: Floats, left_out: Floats, level: float) -> Floats:
    return np.array(
        [
            jackknife_t(float(value), list(row), level, -inf, inf) if np.isfinite(row).all() else (nan, nan)
            for value, row in zip(values, left_out, strict=True)
        ]
    )
