"""The percentile interval of a bootstrap by cluster."""

from __future__ import annotations

import numpy as np

from claims.intervals.cluster_sums import Floats
from claims.intervals.order_statistics import between
from claims.intervals.sample import Sample, resampled


def percentile(sample: Sample, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2): the tails of the resampled values (Efron and Tibshirani 1993, section 13.3).

    A bound is infinite where too many resamples leave the statistic undefined or without bounds.
    """
    drawn = resampled(sample, resamples, seed, sample.held, sample.of)
    tails = np.full(len(drawn), (1 - level) / 2)
    return between(drawn, tails, tails)
