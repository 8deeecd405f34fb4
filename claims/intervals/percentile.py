"""The percentile interval of a bootstrap by cluster."""

from __future__ import annotations

import numpy as np

from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.order_statistics import lower, upper


def percentile(sample: ClusterSums, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2): the tails of the resampled values (Efron and Tibshirani 1993, section 13.3).

    A bound is infinite where too many resamples leave the statistic undefined or without bounds.
    """
    drawn = np.concatenate([sample.of(counts) for counts in sample.draws(resamples, seed)], axis=1)
    tail = (1 - level) / 2
    return np.array([(lower(values, tail), upper(values, tail)) for values in drawn])
