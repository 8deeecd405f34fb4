"""What is simulated: statistics of samples whose truth is known, and the intervals given to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

REPLICATES = 10_000
LEVELS = (0.9, 0.95)
# One draw serves both levels: a whole number of resamples lies beyond each bound, 40 and 20.
RESAMPLES = 799
CLUSTERS = (8, 10, 12, 15, 20, 30, 50, 200)
SIZES = (1, 5)

Floats = np.ndarray[Any, np.dtype[np.float64]]
Key = tuple[str, float]
# Of methods, a generator and a number R of replicates: by method and level, bounds (M, R, 2) for M metrics; NaN where
# there are none.
Bounds = Callable[[tuple[str, ...], np.random.Generator, int], Mapping[Key, Floats]]


@dataclass(frozen=True)
class Scenario:
    """Samples of one kind: `clusters` independent ones of `size` units each, drawn from a named distribution.

    `metrics` are the M statistics that each sample gives, `truths` what they estimate. `bounds` draws replicates, at
    most `at_once` of them in a call: those may share the random numbers of their bootstrap, and nothing else.
    """

    metrics: tuple[str, ...]
    truths: tuple[float, ...]
    distribution: str
    size: int
    clusters: int
    methods: tuple[str, ...]
    bounds: Bounds
    at_once: int = 50

    @property
    def name(self) -> str:
        what = " ".join(f"{metric}={truth:.6g}" for metric, truth in zip(self.metrics, self.truths, strict=True))
        return f"{what} {self.distribution} {self.clusters} clusters of {self.size}"
