"""Statistics that are functions of sums over clusters: what leaving clusters out or drawing them anew makes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Numbers in an array at once while clusters are drawn: few enough for a processor's cache.
HELD = 1 << 17


@dataclass(frozen=True)
class ClusterSums:
    """G clusters with S sums each, `sums` (S, G), and M statistics of their totals at once.

    `statistics` maps totals (S, ...) to values (M, ...), element by element. A value that is not defined is NaN, and
    one that grows beyond bounds infinite.
    """

    sums: Floats
    statistics: Callable[[Floats], Floats]

    @property
    def clusters(self) -> int:
        return int(self.sums.shape[1])

    @property
    def held(self) -> int:
        """Numbers that a resample takes in `of`."""
        return max(int(length) for length in self.sums.shape)

    @property
    def held_within(self) -> int:
        """Numbers that a resample takes in `errors_of`."""
        return int(self.sums.size)

    def values(self) -> Floats:
        """(M,), of all clusters."""
        return self.statistics(self.sums.sum(axis=1))

    def left_out(self) -> Floats:
        """(M, G), without each cluster in turn."""
        return self.statistics(self.sums.sum(axis=1, keepdims=True) - self.sums)

    def errors(self) -> Floats:
        """(M,), the jackknife's standard errors (Efron and Tibshirani 1993, eq. 11.5)."""
        return self.errors_of(np.ones((1, self.clusters)))[:, 0]

    def of(self, counts: Floats) -> Floats:
        """(M, B), where `counts` (B, G) says how often each cluster is in."""
        return self.statistics(self.sums @ counts.T)

    def errors_of(self, counts: Floats) -> Floats:
        """(M, B), the jackknife's standard error within each of the samples that `counts` (B, G) describes."""
        totals = self.sums @ counts.T
        return errors_within(self.statistics(totals[:, :, None] - self.sums[:, None, :]), counts)


def errors_within(left_out: Floats, counts: Floats) -> Floats:
    """(M, B), the jackknife's standard error within B samples, each of which `counts` (B, G) describes.

    `left_out` (M, B, G) holds the statistics without one copy of each cluster, and is written to: what was not drawn
    cannot be left out, and need not be defined.
    """
    left_out[:, counts == 0] = 0.0
    drawn = counts.sum(axis=1)
    with np.errstate(all="ignore"):
        mean = (counts * left_out).sum(axis=-1, keepdims=True) / drawn[:, None]
        squares = (counts * (left_out - mean) ** 2).sum(axis=-1)
        errors: Floats = np.sqrt((drawn - 1) / drawn * squares)
    return errors


def draws(clusters: int, resamples: int, seed: int, size: int) -> Iterator[Floats]:
    """How often each cluster was drawn, (b, clusters), for as many resamples at a time as arrays of `size` allow.

    An index is the upper half of a raw PCG64 output times `clusters`, shifted: of NumPy's streams, raw ones alone are
    promised to stay the same between versions. How many are drawn at a time changes nothing.
    """
    bits, at_a_time = np.random.PCG64(seed), max(1, HELD // size)
    for first in range(0, resamples, at_a_time):
        count = min(at_a_time, resamples - first)
        cells = bits.random_raw(count * clusters)
        cells >>= np.uint64(32)
        cells *= np.uint64(clusters)
        cells >>= np.uint64(32)
        cells.reshape(count, clusters)[:] += np.arange(count, dtype=np.uint64)[:, None] * np.uint64(clusters)
        drawn = np.bincount(cells.view(np.int64), minlength=count * clusters)
        yield drawn.reshape(count, clusters).astype(np.float64)
