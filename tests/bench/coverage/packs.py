"""Many replicates through the shipped intervals at once, as statistics of one sample.

A sample may have many statistics, and intervals are given to each by itself: so replicates of one statistic are packed
as statistics of one sample. The resamples of a bootstrap are then the same for all of a pack.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from claims.intervals.by_cluster import by_cluster
from claims.intervals.cluster_sums import ClusterSums
from claims.intervals.means import Means
from claims.intervals.sample import Sample
from claims.intervals.spread import ROUNDING
from tests.bench.coverage.scenarios import LEVELS, RESAMPLES, Bounds, Floats, Key

Range = tuple[float, float]
SHARE: Range = (0.0, 1.0)
GAP: Range = (-1.0, 1.0)
BOOTSTRAPS = ("percentile", "bca", "studentised_bootstrap")
OVER_CLUSTERS = ("jackknife_t", *BOOTSTRAPS)


@dataclass(frozen=True)
class Remembering:
    """Does not work out again what the same resamples give, for another method or level."""

    known: dict[tuple[str, int], Floats] = field(default_factory=dict)

    def of(self, counts: Floats) -> Floats:
        return self._once("of", counts, super().of)

    def errors_of(self, counts: Floats) -> Floats:
        return self._once("errors_of", counts, super().errors_of)

    def _once(self, name: str, counts: Floats, work: Callable[[Floats], Floats]) -> Floats:
        key = (name, hash(counts.tobytes()))
        if key not in self.known:
            self.known[key] = work(counts)
        return self.known[key]


@dataclass(frozen=True)
class _Sums(Remembering, ClusterSums):
    pass


@dataclass(frozen=True)
class _Means(Remembering, Means):
    """Of clusters that weigh the same: then errors within resamples have a closed form, a hundred times as fast."""

    def errors_of(self, counts: Floats) -> Floats:
        return self._once("errors_of", counts, self._in_closed_form)

    def _in_closed_form(self, counts: Floats) -> Floats:
        drawn = counts.sum(axis=1)
        y = self.sums[1:] - self.sums[1:].mean(axis=1, keepdims=True)
        squares, totals = (y * y) @ counts.T, y @ counts.T
        spread = squares - totals**2 / drawn
        spread[spread <= ROUNDING * squares] = 0.0
        errors: Floats = np.sqrt((drawn - 1) / drawn * spread) / (self.weights[0] * (drawn - 1))
        return errors


def packed(draw: Callable[[np.random.Generator, int], Sample], *within: Range) -> Bounds:
    """The intervals of a sample that `draw` makes of R replicates; one without width is none: its verdict is void.

    `within` are the ranges of the M metrics, as instruments state them; none are stated where there are no ends.
    """

    def bounds(methods: tuple[str, ...], rng: np.random.Generator, replicates: int) -> dict[Key, Floats]:
        sample, seed = draw(rng, replicates), int(rng.integers(2**63))
        ends = np.repeat(within, replicates, axis=0).T if within else (-np.inf, np.inf)
        return {
            (method, level): _bounds(sample, method, level, seed, ends).reshape(-1, replicates, 2)
            for method in methods
            for level in LEVELS
        }

    return bounds


def one_by_one(draw: Callable[[np.random.Generator, int], Sample], *within: Range) -> Bounds:
    """The same for samples that cannot be packed, each of one replicate."""
    alone = packed(draw, *within)

    def bounds(methods: tuple[str, ...], rng: np.random.Generator, replicates: int) -> dict[Key, Floats]:
        found = [alone(methods, rng, 1) for _ in range(replicates)]
        return {key: np.concatenate([of_one[key] for of_one in found], axis=1) for key in found[0]}

    return bounds


def _bounds(sample: Sample, method: str, level: float, seed: int, ends: Floats | Range) -> Floats:
    resamples = RESAMPLES if method in BOOTSTRAPS else None
    return measured(by_cluster(method, sample, level, resamples, seed, *ends))


def pack(sums: Floats, statistics: Callable[[Floats], Floats]) -> Sample:
    """Of sums (S, R, G) and statistics that map totals (S, R, ...) to values (M, R, ...): M R statistics."""
    each, replicates, clusters = sums.shape

    def of_all(totals: Floats) -> Floats:
        values = statistics(totals.reshape(each, replicates, *totals.shape[1:]))
        return values.reshape(-1, *totals.shape[1:])

    return _Sums(sums.reshape(each * replicates, clusters), of_all)


def pack_means(values: Floats) -> Sample:
    """Of units (R, G, size): their R means."""
    replicates, clusters, size = values.shape
    return _Means.over(values.reshape(replicates, -1).astype(float), np.repeat(np.arange(clusters), size))


def measured(bounds: Floats) -> Floats:
    """NaN for bounds (..., 2) that are no interval, or one without width."""
    lo, hi = bounds[..., 0], bounds[..., 1]
    sound = np.isfinite(lo) & np.isfinite(hi) & (lo < hi)
    return np.where(sound[..., None], bounds, np.nan)


def at_once(clusters: int) -> int:
    """As many replicates as arrays stay small for, so that at least 200 bootstraps are drawn for 10,000."""
    return max(20, min(50, 2000 // clusters))
