"""Pairs whose reward grows with their length, as rows that the bias battery reads."""

from functools import lru_cache, partial
from math import sqrt

import numpy as np

from tests.bench.power_studies import Rows, Study

PER_TOKEN, TOKENS = 0.025, 20  # the reward of a token, where the rest has an sd of 1; the sd of lengths
SHAPE = 2  # of the gamma that skewed lengths are
# By which predicted and counted shares may differ: where lengths are skewed, of which nothing is assumed; of a slope
# that is drawn as normal; and of one over its residual, which is drawn so too and is skewed itself.
SKEWED, DRAWN_AS_NORMAL, STANDARDISED = 0.11, 0.07, 0.10
DRAWN = 100_000  # samples that the error of a slope is known from


def slopes(n: int, method: str, lengths: str = "normal") -> Study:
    """Clusters of one pair. The sd is the error of a slope of n such pairs."""
    draw, sd = partial(_pairs, lengths), sqrt(n) * _error(n, lengths)
    points = SKEWED if lengths == "skewed" else DRAWN_AS_NORMAL if method in {"bca", "percentile"} else 0.05
    return Study("bias_battery", "length_slope", method, f"{lengths} lengths", n, PER_TOKEN, sd, draw, points=points)


def length_effects(n: int, method: str, lengths: str = "normal") -> Study:
    """The same, for one standard deviation of length: of slope, residual and of normal lengths' spread each its error.

    Those are independent; of a spread over n the error is 1 / sqrt(2 n) of it, or more as lengths' kurtosis is.
    """
    value, kurtosis = PER_TOKEN * TOKENS, 0.0 if lengths == "normal" else 6 / SHAPE
    sd = sqrt(1 + value**2 * (1 / 2 + (2 + kurtosis) / 4))
    draw, told = partial(_pairs, lengths), {"points": STANDARDISED}
    return Study("bias_battery", "length_effect_size", method, f"{lengths} lengths", n, value, sd, draw, **told)


def _lengths(lengths: str, generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """In whole tokens."""
    if lengths == "normal":
        return np.round(generator.normal(10, TOKENS, shape))
    return np.round(10 + TOKENS * (generator.gamma(SHAPE, size=shape) - SHAPE) / sqrt(SHAPE))


def _pairs(lengths: str, generator: np.random.Generator, n: int) -> Rows:
    tokens = _lengths(lengths, generator, (n,))
    values = 0.5 + PER_TOKEN * tokens + generator.standard_normal(n)
    common = {"kind": "bias", "axis": "safety", "dimension": "safety"}
    return [
        {**common, "pair_id": f"p{k}", "cluster": f"c{k}", "delta": float(value), "length_delta": int(length)}
        for k, (value, length) in enumerate(zip(values, tokens, strict=True))
    ]


@lru_cache
def _error(n: int, lengths: str) -> float:
    """Of a slope, whose variance given lengths is 1 over their sum of squares about the mean: on average over these."""
    tokens = _lengths(lengths, np.random.default_rng(n), (DRAWN, n))
    return sqrt(float(np.mean(1 / (n * tokens.var(axis=1)))))
