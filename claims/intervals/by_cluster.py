"""One call for every interval over clusters, by the name that a registration gives it."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from claims.intervals.aurocs import Aurocs
from claims.intervals.bca import bca
from claims.intervals.cluster_sums import Floats
from claims.intervals.delong import delong
from claims.intervals.jackknife_t import jackknife_t
from claims.intervals.means import Means
from claims.intervals.percentile import percentile
from claims.intervals.sample import Sample
from claims.intervals.spread import ROUNDING
from claims.intervals.studentised_bootstrap import studentised_bootstrap
from claims.intervals.wilson import wilson
from claims.registration.model import IntervalMethod

_BOOTSTRAPS = {"percentile": percentile, "bca": bca, "studentised_bootstrap": studentised_bootstrap}


def by_cluster(  # noqa: PLR0917  # the range comes last, as it does in `jackknife_t`
    method: IntervalMethod,
    sample: Sample,
    level: float,
    resamples: int | None,
    seed: int,
    low: float | Floats = -inf,
    high: float | Floats = inf,
) -> Floats:
    """Equal-tailed bounds (M, 2) of the sample's M statistics at `level`, widened, if need be, to hold their values.

    `resamples` and `seed` are what a bootstrap draws by; other methods draw nothing. [low, high] is the range of the
    statistics, one for all, or (M,) each: bounds by jackknife and by Student's t are worked out on the scale on which
    it has no ends, others are clipped to it. So a bootstrap's bound without end is the range's end, where it has one,
    and leaves nothing out on that side. A statistic that stays the same, but for rounding, whichever cluster is left
    out has bounds without width, and by BCa none; by Wilson it has an interval all the same. Bounds that are NaN or
    infinite say that there is no interval. Raises ValueError for a bootstrap without resamples, and for a method that
    the sample is no material for.
    """
    values, left_out = sample.values(), sample.left_out()
    if method == "wilson":
        return _held(wilson(_shares(sample, values), level), values, low, high)
    if method in _BOOTSTRAPS:
        if resamples is None:
            raise ValueError(f"{method} needs a number of resamples")
        bounds = _BOOTSTRAPS[method](sample, level, resamples, seed)
    elif method == "delong":
        bounds = delong(_aurocs(sample), level)
    elif method == "jackknife_t" or (method == "student_t" and _independent(sample)):
        bounds = jackknife_t(values, left_out, level, low, high)
    else:
        raise ValueError(f"{method} is no interval over clusters: what it is for has bounds of its own")
    same = _same(left_out, low, high)[:, None]
    return np.where(same, np.nan if method == "bca" else values[:, None], _held(bounds, values, low, high))


def _held(bounds: Floats, values: Floats, low: float | Floats, high: float | Floats) -> Floats:
    """Bounds clipped to the range, and widened to hold the values."""
    clipped = np.clip(bounds, np.broadcast_to(low, values.shape)[:, None], np.broadcast_to(high, values.shape)[:, None])
    return np.stack([np.minimum(clipped[:, 0], values), np.maximum(clipped[:, 1], values)], axis=1)


def _same(left_out: Floats, low: float | Floats, high: float | Floats) -> NDArray[np.bool_]:
    """(M,), whether leaving out any cluster changes nothing: as `claims.intervals.spread.differ`, for all at once."""
    with np.errstate(invalid="ignore"):
        width = np.broadcast_to(np.subtract(high, low), left_out.shape[:1])
        scale = np.where(np.isfinite(width), width, np.abs(left_out).max(axis=1))
        same: NDArray[np.bool_] = np.ptp(left_out, axis=1) <= ROUNDING * scale
    return same & np.isfinite(left_out).all(axis=1)


def _shares(sample: Sample, values: Floats) -> Means:
    if not isinstance(sample, Means):
        raise ValueError("wilson is for shares of rows in clusters: say what each cluster weighs in them")  # noqa: TRY004
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"wilson is for shares, from 0 to 1: these are {values.min():g} to {values.max():g}")
    return sample


def _aurocs(sample: Sample) -> Aurocs:
    if not isinstance(sample, Aurocs):
        raise ValueError("delong is for AUROCs of scorers over labelled rows")  # noqa: TRY004
    return sample


def _independent(sample: Sample) -> bool:
    if not (isinstance(sample, Means) and sample.plain):
        raise ValueError("student_t is for plain means of independent values: jackknife_t is its like for others")
    if np.ptp(sample.weights) > 0:
        raise ValueError(
            f"student_t is for independent values: these come {sample.weights.min():g} to {sample.weights.max():g} "
            "to a cluster, and jackknife_t is its like for clusters that differ in size"
        )
    return True
