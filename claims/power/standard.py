"""Units with mean 0 and sd 1, and what intervals around the mean of very many of them are."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from types import MappingProxyType

import numpy as np
from scipy.stats import norm, t

from claims.intervals.cluster_sums import Floats
from claims.power.streams import drawing
from claims.registration.model import IntervalMethod

# By how many times skewness / (6 sqrt(n)) of the mean's error a bootstrap's bounds lie beyond Student's, for a tail's
# normal quantile z: to second order (Hall 1988, Annals of Statistics 16, 927).
_BEYOND: Mapping[IntervalMethod, tuple[int, int]] = MappingProxyType(
    {"percentile": (1, -1), "bca": (2, 1), "studentised_bootstrap": (2, 1)}  # a z^2 + b
)


def standard_units(skewness: float, shape: tuple[int, ...], part: int = 0) -> Floats:
    """Normal, or with a `skewness` a gamma of shape 4 / skewness^2, moved; turned round where that is negative."""
    return _units(drawing(part), skewness, shape)


def around_many(method: IntervalMethod, level: float, skewness: float, n: int, replicates: int) -> Floats:
    """Intervals (R, 2) around means of n such units, drawn as a mean and a variance.

    The mean of gammas is a gamma, with their skewness over sqrt(n). The variance of n of them follows their mean, by
    skewness / sqrt(n) for each of its standard errors, and is beside that a chi-square, with as many degrees of freedom
    as give the gamma's kurtosis. Of a bootstrap bounds lie where Edgeworth's expansion has them.
    """
    generator = drawing()
    errors = _units(generator, skewness / sqrt(n), (replicates,))
    freedom = (n - 1) / (1 + skewness**2 / 4)
    variance = np.maximum(0.0, 1 + skewness / sqrt(n) * errors) * generator.chisquare(freedom, replicates) / freedom
    a, b = _BEYOND.get(method, (0, 0))
    tail = (1 + level) / 2
    beyond = (a * float(norm.ppf(tail)) ** 2 + b) * skewness / 6 / sqrt(n)
    half, off = np.sqrt(variance / n) * float(t.ppf(tail, n - 1)), np.sqrt(variance / n) * beyond
    means = errors / sqrt(n)
    return np.column_stack([means + off - half, means + off + half])


def _units(generator: np.random.Generator, skewness: float, shape: tuple[int, ...]) -> Floats:
    if not skewness:
        return generator.standard_normal(shape)
    of_gamma = 4 / skewness**2
    units: Floats = (generator.gamma(of_gamma, size=shape) - of_gamma) / sqrt(of_gamma)
    return units if skewness > 0 else -units
