"""The interval of an AUROC, or of a gap between two, from the placements of rows."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit
from scipy.stats import t

from claims.intervals.aurocs import Aurocs
from claims.intervals.cluster_sums import Floats


def delong(sample: Aurocs, level: float) -> Floats:
    """Bounds (M, 2) with the variance of DeLong et al. (1988), by cluster that of Obuchowski (1997).

    An AUROC's are symmetric on the scale of its logit, a gap's on its own. Student's quantile stands for the normal
    one, with one degree of freedom less than there are clusters of the label that fewer have. NaN for an AUROC of 0 or
    1, whose variance would be 0, and where a label is in fewer than two clusters.
    """
    values, errors = sample.values(), np.sqrt(variances(sample))
    fewest = int((sample.sizes > 0).sum(axis=1).min())
    half = t.ppf((1 + level) / 2, max(fewest - 1, 1)) * errors
    with np.errstate(all="ignore"):
        own: Floats = values[:, None] + half[:, None] * np.array([-1, 1])
        area = values[: sample.scorers]
        stretched = half[: sample.scorers] / (area * (1 - area))
        own[: sample.scorers] = expit(logit(area)[:, None] + stretched[:, None] * np.array([-1, 1]))
    return own


def variances(sample: Aurocs) -> Floats:
    """(M,), Obuchowski 1997, eq. 4 and 5; with every row a cluster of its own DeLong et al. 1988, eq. 6 and 7.

    NaN where a label is in fewer than two clusters.
    """
    holding = (sample.sizes > 0).sum(axis=1)
    if holding.min() < 2:  # noqa: PLR2004  # one cluster has no spread
        return np.full(len(sample.values()), np.nan)
    ones, totals = np.ones((1, sample.clusters)), sample.sizes.sum(axis=1, keepdims=True)
    in_order = np.stack([np.concatenate(own.by_cluster(ones)) for own in sample.placements])
    # (K, 2, G), what each cluster's rows add to the AUROC beyond their share of it, as positives and as negatives.
    off = in_order / totals.prod() - sample.values()[: sample.scorers, None, None] * sample.sizes / totals
    off = np.concatenate([off, off[1:] - off[:1]]) if sample.scorers == 2 else off  # noqa: PLR2004
    squares = (np.einsum("klg,klg->kl", off, off) * holding / (holding - 1)).sum(axis=1)
    crossed = 2 * sample.clusters / (sample.clusters - 1) * np.einsum("kg,kg->k", off[:, 0], off[:, 1])
    found: Floats = np.maximum(squares + crossed, 0)
    return found
