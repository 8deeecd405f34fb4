"""The studentised (bootstrap-t) interval of a bootstrap by cluster."""

from __future__ import annotations

import numpy as np

from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.order_statistics import lower, upper


def studentised_bootstrap(sample: ClusterSums, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2): estimate less its error times the tails of (resampled - estimate) / its own error.

    Efron and Tibshirani 1993, section 12.5; standard errors are jackknives over clusters, within each resample too.
    A bound is infinite where too many resamples leave the statistic or its error undefined.
    """
    ratios = np.concatenate([studentised(sample, counts) for counts in sample.draws(resamples, seed)], axis=1)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):  # an error of 0 times a tail without end
        return np.array(
            [
                (value - error * upper(drawn, tail), value - error * lower(drawn, tail))
                for value, error, drawn in zip(sample.values(), sample.errors(), ratios, strict=True)
            ]
        )


def studentised(sample: ClusterSums, counts: Floats) -> Floats:
    """(M, B), how many of its own standard errors each resampled value lies above the sample's."""
    with np.errstate(all="ignore"):
        ratios: Floats = (sample.of(counts) - sample.values()[:, None]) / sample.errors_of(counts)
    return ratios
