"""Wilson's interval of a share, for rows in clusters."""

from __future__ import annotations

import numpy as np
from scipy.stats import t

from claims.intervals.cluster_sums import Floats
from claims.intervals.means import Means, kish
from claims.intervals.spread import ROUNDING


def wilson(sample: Means, level: float) -> Floats:
    """Bounds (M, 2) of M shares: the score interval (Wilson 1927) of an effective number of rows.

    That number is p (1 - p) / se², se by jackknife over clusters (Korn and Graubard 1998; Dean and Pagano 2015), but
    at most that of independent rows, for by chance few clusters can be too much alike. Student's quantile, with
    G - 1 degrees of freedom, stands for the normal one. Where no cluster left out makes a difference, so that an
    error is not known, the number is Kish's of clusters, as if rows of one cluster were one. NaN where a share is not
    defined, be it without one of the clusters.
    """
    shares, left_out = sample.values(), sample.left_out()
    with np.errstate(all="ignore"):
        variance = (sample.clusters - 1) * left_out.var(axis=1)
        known = np.ptp(left_out, axis=1) > ROUNDING
        number = np.where(known, np.minimum(shares * (1 - shares) / variance, sample.rows), kish(sample.weights))
        number[np.isnan(left_out).any(axis=1)] = np.nan
        square = t.ppf((1 + level) / 2, sample.clusters - 1) ** 2 / number
        half = np.sqrt(shares * (1 - shares) * square + square**2 / 4)
        ends = (shares + square / 2)[:, None] + half[:, None] * np.array([-1, 1])
        bounds: Floats = ends / (1 + square)[:, None]
    return bounds
