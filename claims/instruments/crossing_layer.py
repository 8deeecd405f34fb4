"""At which layer a mean margin crosses half of its final value, and between which layers it surely does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from claims.instruments.answers import Answer, Asked, estimated, in_sample
from claims.instruments.lens_curves import HALF, Curves, first_crossing, start_of_last_run
from claims.instruments.ratios import Ratios
from claims.intervals.means import cluster_sizes, kish

Flags = NDArray[np.bool_]


def layer_of_mean(curves: Curves, asked: Asked, metric: str) -> Answer:
    """The first layer at which the mean margin reaches half its final value with the final sign.

    Its interval inverts one-sided jackknife-t bounds of the excess at each layer, sign x (mean margin - half the mean
    final margin), where a is the tail (1 - level) / 2:

    - `lo`, the first layer whose excess may be at least 0: upper bound at tail a. The crossing lies before it only
      if the bound at the crossing itself fails, so no layer but that one counts and nothing is corrected.
    - `hi`, the earlier of two layers: the first with an excess surely above 0, lower bound at tail a / 2 shared among
      the layers (Bonferroni); and the one from which on every layer's is, at tail a / 2 each. The latter comes after
      the crossing only if it wrongly holds for the layer before the crossing: one layer, no correction.

    Where both are the same layer the answer is certain at this level, and the interval exact. Without a final margin
    whose sign is certain there is no half to reach, and no estimate.
    """
    margins = Ratios.means(curves.margin, curves.clusters)
    mean = margins.values
    value = first_crossing(mean)
    if value is None:
        return "the mean final margin is 0: half of it is no place to reach"
    if few := asked.too_few(metric, margins.sample.clusters):
        return in_sample(value, few)
    lo, hi = margins.bounds(asked.level)[-1]
    if not (lo > 0 or hi < 0):
        return in_sample(value, "the sign of the mean final margin is not certain, so neither is half of it")
    excess = np.sign(mean[-1]) * (curves.margin - curves.margin[:, -1:] / 2)
    first, last = _between(Ratios.means(excess, curves.clusters), (1 - asked.level) / 2)
    return estimated(value, (first, last), asked.level, curves.clusters, "jackknife_t" if first < last else "exact")


def _between(excess: Ratios, tail: float) -> tuple[float, float]:
    """The interval's layers; the final layer has crossed by definition."""
    alone, jointly = _surely(excess, tail / 2), _surely(excess, tail / 2 / (len(excess.values) - 1))
    alone[-1] = jointly[-1] = True
    first = int(_maybe(excess, tail).argmax())
    return float(first - 1), float(min(int(jointly.argmax()), start_of_last_run(alone)) - 1)


def _maybe(excess: Ratios, tail: float) -> Flags:
    """Where it may be at least 0; an excess of unknown error may be anything."""
    return ~(excess.bounds(1 - 2 * tail)[:, 1] < 0)


def _surely(excess: Ratios, tail: float) -> Flags:
    return np.asarray(excess.bounds(1 - 2 * tail)[:, 0] > 0)


def median_layer(curves: Curves, asked: Asked, metric: str) -> Answer:
    """The first layer by which at least half of the pairs have crossed half of their own final margin.

    Pairs whose final margin is 0 are left out. Its interval is that of order statistics: the layers at which the share
    of pairs that have crossed may be one half, by exact binomial bounds (Clopper and Pearson 1934) with Kish's
    effective number of pairs, as if the pairs of a cluster all crossed together (Korn and Graubard 1998, without their
    correction for degrees of freedom). A whole number: where both ends are the same layer it is certain.
    """
    found = [
        (depth, cluster)
        for margin, cluster in zip(curves.margin, curves.clusters, strict=True)
        if (depth := first_crossing(margin)) is not None
    ]
    if not found:
        return "no pair has a final margin other than 0"
    clusters = [cluster for _, cluster in found]
    layers = np.arange(-1, curves.layers)
    shares = (np.array([depth for depth, _ in found]) <= layers[:, None]).mean(axis=1)
    half = shares >= HALF
    value = float(layers[half.argmax()])
    if few := asked.too_few(metric, len(set(clusters))):
        return in_sample(value, few)
    lower, upper = _binomial(shares, kish(cluster_sizes(clusters)), (1 - asked.level) / 2)
    lower[-1] = 1.0  # by the last layer every pair has crossed
    bounds = (float(layers[(upper >= HALF).argmax()]), float(layers[(lower >= HALF).argmax()]))
    return estimated(value, bounds, asked.level, clusters, "exact")


def _binomial(shares: NDArray[np.float64], n: float, tail: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Clopper and Pearson's bounds of each share of n, which need not be whole."""
    hits = shares * n
    with np.errstate(invalid="ignore"):
        lower = np.where(shares > 0, beta.ppf(tail, hits, n - hits + 1), 0.0)
        upper = np.where(shares < 1, beta.ppf(1 - tail, hits + 1, n - hits), 1.0)
    return lower, upper
