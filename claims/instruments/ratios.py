"""Ratios of sums over pairs, with intervals over clusters of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, nan

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from claims.evidence import Estimate
from claims.instruments.agreement_statistics import kish
from claims.intervals.jackknife_t import FEWEST
from claims.intervals.spread import ROUNDING

Floats = NDArray[np.float64]
NO_SPREAD = "leaving out any cluster changes nothing, so no error is known"


@dataclass(frozen=True)
class Ratios:
    """K quantities: sum of `numerator` (P, K) over sum of `denominator` (P,) for P pairs; 1 for a mean over pairs.

    `clusters` (P,) names each pair's. A sum of denominators that is 0 makes its ratio NaN.
    """

    numerator: Floats
    denominator: Floats
    clusters: tuple[str, ...]

    @classmethod
    def means(cls, values: Floats, clusters: Sequence[str]) -> Ratios:
        """The means over pairs of the columns of `values` (P, K)."""
        return cls(values, np.ones(len(clusters)), tuple(clusters))

    @property
    def names(self) -> list[str]:
        """The clusters, C of them, in order."""
        return sorted(set(self.clusters))

    @cached_property
    def values(self) -> Floats:
        """(K,)"""
        return _divided(self.numerator.sum(axis=0), np.asarray(self.denominator.sum()))

    @cached_property
    def left_out(self) -> Floats:
        """(C, K), without each cluster in turn."""
        place = np.unique(self.clusters, return_inverse=True)[1]
        return _divided(_of_others(self.numerator, place), _of_others(self.denominator[:, None], place))

    def bounds(self, level: float, low: float = -inf, high: float = inf) -> Floats:
        """The jackknife-t intervals (K, 2), as `claims.intervals.jackknife_t` gives each, of all at once.

        NaN where no error is known: leaving out any cluster changes nothing, but for rounding.
        """
        n = len(self.left_out)
        error = np.sqrt((n - 1) * self.left_out.var(axis=0))
        half = t.ppf((1 + level) / 2, n - 1) * error
        ends = np.column_stack([np.maximum(low, self.values - half), np.minimum(high, self.values + half)])
        scale = high - low if isfinite(high - low) else np.abs(self.left_out).max(axis=0)
        ends[np.ptp(self.left_out, axis=0) <= ROUNDING * scale] = nan
        return ends

    def answers(self, level: float, low: float = -inf, high: float = inf) -> list[Estimate | str]:
        """Each with its jackknife-t interval clipped to [low, high], or in words why there is none."""
        ends = None if too_few(self.clusters) else self.bounds(level, low, high)
        return [self._answer(k, ends, level) for k in range(len(self.values))]

    def answer(self, k: int, level: float, low: float = -inf, high: float = inf) -> Estimate | str:
        """The k-th of `answers`."""
        return self.answers(level, low, high)[k]

    def _answer(self, k: int, ends: Floats | None, level: float) -> Estimate | str:
        missing, value = self.why_not(k), float(self.values[k])
        if ends is None or missing is not None:
            return str(missing)
        lo, hi = map(float, ends[k])
        if np.isnan(lo):
            return in_sample(value, NO_SPREAD)
        return estimated(value, (lo, hi), level, self.clusters)

    def why_not(self, k: int) -> str | None:
        """Why the k-th can have no interval at all: nothing to divide by, or too few clusters."""
        if np.isnan(self.values[k]):
            return "it is a share of a sum that is 0"
        if (few := too_few(self.clusters)) is not None:
            return in_sample(float(self.values[k]), few)
        undefined = np.flatnonzero(np.isnan(self.left_out[:, k]))
        return f"it is not defined without the cluster {self.names[undefined[0]]!r}" if len(undefined) else None


def too_few(clusters: Sequence[str]) -> str | None:
    """In words, that pairs of these clusters are too few for the jackknife; None where they are not."""
    n = len(set(clusters))
    return f"its pairs form {n} independent clusters; the jackknife needs {FEWEST}" if n < FEWEST else None


def in_sample(value: float, why: str) -> str:
    """Why a value has no interval, in words that keep the value."""
    return f"it is {value:.6g} in this sample, without an interval: {why}"


def estimated(
    value: float, bounds: tuple[float, float], level: float, clusters: Sequence[str], method: str = "jackknife_t"
) -> Estimate:
    """An estimate over pairs of these clusters; `n` counts the clusters, `n_effective` is Kish's."""
    return Estimate(
        value=value,
        lo=bounds[0],
        hi=bounds[1],
        level=level,
        method=method,
        unit="cluster",
        n=len(set(clusters)),
        n_effective=kish(clusters),
    )


def _of_others(values: Floats, place: NDArray[np.int64]) -> Floats:
    """The sums (C, K) of `values` (P, K) over all clusters but each; `place` (P,) numbers each pair's cluster.

    Added up from both ends rather than taken off the whole: sums of nothing but 0 stay 0.
    """
    own = np.zeros((int(place.max()) + 1, values.shape[1]))
    np.add.at(own, place, values)
    nothing = np.zeros((1, values.shape[1]))
    before = np.vstack([nothing, own[:-1].cumsum(axis=0)])
    after = np.vstack([own[:0:-1].cumsum(axis=0)[::-1], nothing])
    others: Floats = before + after
    return others


def _divided(above: Floats, below: Floats) -> Floats:
    found: Floats = np.divide(above, below, out=np.full(np.shape(above), nan), where=np.asarray(below != 0))
    return found
