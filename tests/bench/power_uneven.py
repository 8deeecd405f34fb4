"""Clusters of very different size, as rows that instruments read."""

from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.stats import multivariate_normal, norm

from tests.bench.power_studies import Rows, Study, bias_rows, score_rows

SIZES = (1, 2, 4, 8, 16)  # each as likely: n clusters are worth 0.56 n of one size
BETWEEN = 0.3  # of the variance of a pair's normal, which is 1, what its cluster makes
# By which predicted and counted shares may differ: the check counts clusters, and knows nothing of their sizes.
FEW, MANY, SHARES = 0.25, 0.07, 0.16
DRAWN = 10_000  # sets of n sizes, that the error of a mean is known from


def uneven_deltas(n: int, method: str) -> Study:
    """Normal pairs with mean 0.5."""
    sd = _sd(n, 1.0, BETWEEN)
    told = {"points": FEW if method == "studentised_bootstrap" else MANY}
    return Study("bias_battery", "mean_delta.safety", method, "normal in uneven clusters", n, 0.5, sd, _deltas, **told)


def uneven_answers(n: int, right: float) -> Study:
    """Pairs that are right where a normal lies above a threshold."""

    def draw(generator: np.random.Generator, n: int) -> Rows:
        return list(score_rows([np.where(values > -norm.ppf(right), 1.0, -1.0) for values in _pairs(generator, n)]))

    both = multivariate_normal([0, 0], [[1, BETWEEN], [BETWEEN, 1]]).cdf([norm.ppf(right)] * 2)
    sd = _sd(n, right * (1 - right), float(both) - right**2)
    population, told = f"right {right:.0%} in uneven clusters", {"points": SHARES}
    return Study("reward_scores", "accuracy", "wilson", population, n, right, sd, draw, **told)


def _pairs(generator: np.random.Generator, n: int) -> list[np.ndarray]:
    """Of n clusters, each of its size."""
    sizes = generator.choice(SIZES, n)
    of_cluster, own = generator.standard_normal(n), [generator.standard_normal(size) for size in sizes]
    return [sqrt(BETWEEN) * common + sqrt(1 - BETWEEN) * values for common, values in zip(of_cluster, own, strict=True)]


def _deltas(generator: np.random.Generator, n: int) -> Rows:
    return list(bias_rows([0.5 + values for values in _pairs(generator, n)], generator))


@lru_cache
def _sd(n: int, variance: float, covariance: float) -> float:
    """By the error of a mean over all pairs of n clusters, on average over sizes; pairs of a cluster vary together."""
    sizes = np.random.default_rng(n).choice(SIZES, (DRAWN, n)).astype(float)
    of_sum = sizes.sum(axis=1) * (variance - covariance) + (sizes**2).sum(axis=1) * covariance
    return sqrt(n * float(np.mean(of_sum / sizes.sum(axis=1) ** 2)))
