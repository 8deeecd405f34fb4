"""Units in clusters, from distributions named in docs/statistics.md.

y = shift + sqrt(0.3) of the cluster + sqrt(0.7) of the unit, both of one distribution of mean 0 and variance 1, so that
units of a cluster are correlated by 0.3. Discrete ones are normal, rounded to whole standard deviations.
"""

import numpy as np
from scipy.stats import norm

SHARE = 0.3
GAMMA = 4  # the shape of "skewed": skewness 1
WHOLE = np.arange(-12, 13)


def units(distribution, shape, shift, rng):
    """(R, G, size) of `shape`."""
    of_cluster = standard(distribution, (*shape[:2], 1), rng)
    y = shift + np.sqrt(SHARE) * of_cluster + np.sqrt(1 - SHARE) * standard(distribution, shape, rng)
    return np.round(y) if distribution == "discrete" else y


def standard(distribution, shape, rng):
    """Of mean 0 and variance 1: skewness 0, 1 for "skewed", 2 for "exponential"."""
    if distribution == "skewed":
        return (rng.gamma(GAMMA, size=shape) - GAMMA) / np.sqrt(GAMMA)
    if distribution == "exponential":
        return rng.exponential(size=shape) - 1
    return rng.normal(size=shape)


def moments(distribution, shift):
    """The mean and the standard deviation of a unit."""
    if distribution != "discrete":
        return shift, 1.0
    chance = np.diff(norm.cdf(np.append(WHOLE - 0.5, WHOLE[-1] + 0.5), loc=shift))
    mean = float(WHOLE @ chance)
    return mean, float(np.sqrt((WHOLE - mean) ** 2 @ chance))
