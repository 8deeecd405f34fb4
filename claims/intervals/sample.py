"""What an interval over clusters asks of a sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from claims.intervals.cluster_sums import Floats, draws


class Sample(Protocol):
    """G independent clusters, and M statistics of them at once; one that is not defined is NaN."""

    @property
    def clusters(self) -> int:
        """G."""
        ...

    @property
    def held(self) -> int:
        """Numbers that a resample takes in `of`, by which resamples are drawn in chunks."""
        ...

    @property
    def held_within(self) -> int:
        """Numbers that a resample takes in `errors_of`."""
        ...

    def values(self) -> Floats:
        """(M,), of all clusters."""
        ...

    def left_out(self) -> Floats:
        """(M, G), without each cluster in turn."""
        ...

    def of(self, counts: Floats) -> Floats:
        """(M, B), where `counts` (B, G) says how often each cluster is in."""
        ...

    def errors_of(self, counts: Floats) -> Floats:
        """(M, B), the jackknife's standard error within each of the samples that `counts` (B, G) describes."""
        ...


def resampled(sample: Sample, resamples: int, seed: int, size: int, statistic: Callable[[Floats], Floats]) -> Floats:
    """(M, resamples): `statistic`, which maps counts (b, G) to (M, b), of clusters drawn anew with replacement.

    `size` is how many numbers a resample takes meanwhile.
    """
    drawn, done = np.empty((len(sample.values()), resamples)), 0
    for counts in draws(sample.clusters, resamples, seed, size):
        drawn[:, done : done + len(counts)] = statistic(counts)
        done += len(counts)
    return drawn
