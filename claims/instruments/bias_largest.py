"""The largest |effect size| over axes: an interval that allows for its being the largest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.stats import t

from claims.evidence import Estimate
from claims.instruments.bias_statistics import MOMENTS, Axis
from claims.intervals.cluster_sums import Floats, draws
from claims.intervals.order_statistics import upper

EFFECT = 1  # the place of effect_size among an axis's statistics


def bounds_of_largest(
    axes: Sequence[Axis], effects: Sequence[Estimate], level: float, resamples: int | None, seed: int
) -> Floats:
    """Bounds (2,) for the largest true |effect size| of K axes, whose estimates at `level` are `effects`.

    Above, one axis at a time: were the true maximum above every axis's bound, the interval of the one axis that has
    it would have missed on that side. Below, all at once: the true maximum is below the largest of |effect| - c se
    only where some axis's effect is off by more than c of its errors.
    """
    critical = _critical(axes, level, resamples, seed)
    errors = np.array([axis.effects().errors()[EFFECT] for axis in axes])
    lowest = np.abs([effect.value for effect in effects]) - critical * errors
    return np.array([max(0.0, *lowest), max(max(-effect.lo, effect.hi) for effect in effects)])


def _critical(axes: Sequence[Axis], level: float, resamples: int | None, seed: int) -> Floats:
    """(K,) or (1,), the number of errors by which any axis is off with probability (1 - level) / 2.

    By jackknife, Student's t shared out over axes and sides (Bonferroni). By bootstrap, the tail of the largest
    deviation of all axes, for all of which clusters are drawn at once (max-T: Westfall and Young 1993).
    """
    tail = (1 - level) / 2
    if resamples is None:
        return np.array([t.ppf(1 - tail / (2 * len(axes)), len(axis.names) - 1) for axis in axes])
    return np.array([upper(np.concatenate(list(_largest_deviations(axes, resamples, seed))), tail)])


def _largest_deviations(axes: Sequence[Axis], resamples: int, seed: int) -> Iterator[Floats]:
    """(b,) at a time; NaN, which counts as largest, where a resample leaves some axis without a spread."""
    names = sorted({name for axis in axes for name in axis.names})
    columns = [np.searchsorted(names, axis.names) for axis in axes]
    samples = [axis.effects() for axis in axes]
    for counts in draws(len(names), resamples, seed, MOMENTS * len(names)):
        off = []
        for sample, column in zip(samples, columns, strict=True):
            off.append((sample.of(counts[:, column])[EFFECT] - sample.values()[EFFECT]) / sample.errors()[EFFECT])
        yield np.abs(off).max(axis=0)
