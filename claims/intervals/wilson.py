"""Wilson's interval of a share, for rows in clusters."""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.means import Means
from claims.intervals.spread import ROUNDING


def wilson(sample: Means, level: float) -> Floats:
    """Bounds (M, 2) of M shares: the score interval (Wilson 1927) of an effective number of rows.

    That number is p (1 - p) / v, where v is the clusters' variance of the share (Korn and Graubard 1998; compared
    with others by Dean and Pagano 2015, and by Franco et al. 2019): the jackknife's without its factor G / (G - 1),
    so that rows in clusters of their own count one each. Student's quantile, G - 1 degrees of freedom, stands for the
    normal one. Where shares do not differ between clusters, so that no variance can be told from them, the number is
    Kish's (sum of weights)² / sum of squared weights, as if rows of one cluster were one. NaN where a share is not
    defined, also without one of the clusters.
    """
    shares, clusters = sample.values(), sample.clusters
    with np.errstate(all="ignore"):
        left_out = sample.left_out()
        variance = (clusters - 1) ** 2 / clusters * left_out.var(axis=1)
        same = np.ptp(left_out, axis=1) <= ROUNDING
        number = np.where(same, _kish(sample.weights), shares * (1 - shares) / variance)
        square = t.ppf((1 + level) / 2, clusters - 1) ** 2 / number
        half = np.sqrt(shares * (1 - shares) * square + square**2 / 4)
        middle = shares + square / 2
        ends = np.stack([middle - half, middle + half], axis=1) / (1 + square)[:, None]
    return np.clip(ends, 0, 1)


def _kish(weights: Floats) -> float:
    return float(weights.sum() ** 2 / (weights**2).sum())
