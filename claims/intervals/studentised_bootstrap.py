"""The studentised (bootstrap-t) interval of a bootstrap by cluster."""

from __future__ import annotations

from functools import partial

import numpy as np

from claims.intervals.cluster_sums import Floats
from claims.intervals.order_statistics import between
from claims.intervals.sample import Sample, resampled


def studentised_bootstrap(sample: Sample, level: float, resamples: int, seed: int) -> Floats:
    """Bounds (M, 2): estimate less its error times the tails of (resampled - estimate) / its own error.

    Efron and Tibshirani 1993, section 12.5; standard errors are jackknives over clusters, within each resample too.
    A bound is infinite where too many resamples leave the statistic or its error undefined.
    """
    ratios = resampled(sample, resamples, seed, sample.held_within, partial(studentised, sample))
    tails = np.full(len(ratios), (1 - level) / 2)
    errors = sample.errors_of(np.ones((1, sample.clusters)))
    with np.errstate(invalid="ignore"):  # an error of 0 times a tail without end
        return sample.values()[:, None] - errors * between(ratios, tails, tails)[:, ::-1]


def studentised(sample: Sample, counts: Floats) -> Floats:
    """(M, B), how many of its own standard errors each resampled value lies above the sample's."""
    with np.errstate(all="ignore"):
        ratios: Floats = (sample.of(counts) - sample.values()[:, None]) / sample.errors_of(counts)
    return ratios
