"""How often each interval over clusters misses the truth, on either side, for the statistics of the bias battery.

By default one small scenario, to hold that the campaign runs and that intervals offered there look sound. With --full,
2,000 replicates of every scenario, some hours on one core: the numbers of clusters in docs/instruments/bias_battery.md
follow from it, by the rule that each tail be at most alpha/2 + 0.75 points, and 3 Monte Carlo errors.

Deltas are y = sqrt(0.3) of the cluster + sqrt(0.7) of the pair, both of one distribution, moved by `shift`; discrete
ones are rounded to whole standard deviations. Length differences are normal about half a standard deviation, with the
same share of the cluster. Adding a multiple of length to y changes no error of the intercept or the slope, so one
slope, 0.5 standard deviations a standard deviation, stands for all.
"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from claims.instruments.bias_estimates import FEWEST
from claims.instruments.bias_statistics import Axis, axis_effects, length_effects
from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums

METHODS = ("jackknife_t", "studentised_bootstrap", "bca", "percentile")
STATISTICS = ("mean_delta", "effect_size", "length_adjusted_delta", "length_slope", "length_effect_size")
# Distribution, shift, pairs in a cluster. Where the mean lies matters to the effect size alone, and to discrete deltas.
SCENARIOS = list(product(("normal", "discrete"), (0.5,), (1, 5))) + list(product(("skewed",), (0.0, 0.5), (1, 5)))
RESAMPLES = {0.9: 399, 0.95: 799}  # a whole number of them beyond each bound
CLUSTERS = (8, 12, 20, 30, 50, 100)
SHARE, SLOPE, GAMMA = 0.3, 0.5, 4


def population(distribution, shift):
    """Mean and standard deviation of y."""
    if distribution != "discrete":
        return shift, 1.0
    whole = np.arange(-12, 13)
    chance = np.diff(norm.cdf(np.append(whole - 0.5, 12.5), loc=shift))
    mean = float(whole @ chance)
    return mean, float(np.sqrt((whole - mean) ** 2 @ chance))


def standard(distribution, shape, rng):
    return (rng.gamma(GAMMA, size=shape) - GAMMA) / 2 if distribution == "skewed" else rng.normal(size=shape)


def of_both(distribution, clusters, size, rng):
    of_cluster, of_pair = (standard(distribution, (clusters, count), rng) for count in (1, size))
    return (np.sqrt(SHARE) * of_cluster + np.sqrt(1 - SHARE) * of_pair).ravel()


def sample(distribution, shift, size, clusters, rng):
    """The five statistics of a drawn sample."""
    y = shift + of_both(distribution, clusters, size, rng)
    y = np.round(y) if distribution == "discrete" else y
    x = 0.5 + of_both("normal", clusters, size, rng)
    names = tuple(f"{name:03}" for name in np.repeat(np.arange(clusters), size))
    plain, sloped = (Axis("a", deltas, x, names) for deltas in (y, y + SLOPE * x))
    sums = np.concatenate([axis.moments(axis.names) for axis in (plain, sloped)])
    return ClusterSums(
        sums,
        lambda totals: np.concatenate([axis_effects(totals[:6], plain.centre), length_effects(totals[6:])]),
    )


def tails(scenario, clusters, level, replicates):
    """{method: (5, 3)}: the shares of intervals below and above the truth, and of replicates without an interval."""
    distribution, shift, _ = scenario
    mean, deviation = population(distribution, shift)
    truth = np.array([mean, mean / deviation, mean, SLOPE, SLOPE / deviation])
    counts = {method: np.zeros((len(STATISTICS), 3)) for method in METHODS}
    for seed in replicates:
        rng = np.random.default_rng([seed, clusters, SCENARIOS.index(scenario)])
        drawn = sample(*scenario, clusters, rng)
        for method in METHODS:
            lo, hi = by_cluster(method, drawn, level, RESAMPLES[level], seed).T
            measured = np.isfinite(lo) & np.isfinite(hi) & (lo < hi)
            counts[method] += np.stack([measured & (hi < truth), measured & (lo > truth), ~measured], axis=1)
    return {method: count / len(replicates) for method, count in counts.items()}


def allowed(level, replicates):
    tail = (1 - level) / 2
    return tail + 0.0075 + 3 * np.sqrt(tail * (1 - tail) / replicates)


def test_each_tail_of_the_bias_batterys_intervals(full):
    replicates, clusters = (range(2000), CLUSTERS) if full else (range(60), (12,))
    cells = product(SCENARIOS, clusters, RESAMPLES) if full else [(SCENARIOS[0], 12, 0.9)]
    worst = {}
    for scenario, count, level in cells:
        for method, found in tails(scenario, count, level, replicates).items():
            excess = found[:, :2].max(axis=1) / allowed(level, len(replicates))
            worst[method, count] = np.maximum(worst.get((method, count), 0), excess)
    print("\nworst tail as a share of what is allowed\nmethod clusters", *STATISTICS)
    for (method, count), excess in sorted(worst.items()):
        print(method, count, *(f"{value:.2f}" for value in excess))
    for (method, count), excess in worst.items():
        for metric, share in zip(STATISTICS, excess, strict=True):
            assert count < FEWEST[method].get(metric, np.inf) or share <= 1, (method, count, metric)


def test_a_wrong_interval_would_be_seen():
    """Bounds a fifth as far from their value miss far more often than is allowed."""
    rng, missed = np.random.default_rng(0), 0
    for seed in range(60):
        drawn = sample("normal", 0.5, 1, 12, rng)
        lo, hi = drawn.values()[0] + (by_cluster("percentile", drawn, 0.9, 200, seed)[0] - drawn.values()[0]) / 5
        missed += not lo <= 0.5 <= hi
    assert missed / 60 > 2 * pytest.approx(0.1).expected + 2 * 0.0075
