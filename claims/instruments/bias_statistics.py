"""How far each axis moves the reward, and how much of that is length: statistics as functions of sums over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from claims.intervals.cluster_sums import ClusterSums, Floats
from claims.intervals.spread import differ

# Of each axis: pairs, sums of y, y y, x, x x, x y, where y is delta and x length_delta, each from its mean.
MOMENTS = 6
# Squares about the mean below this share of squares about the whole sample's mean are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Axis:
    """P pairs of one axis: `deltas` (P,) in reward, `lengths` (P,) in tokens, each pair's cluster."""

    name: str
    deltas: Floats
    lengths: Floats
    clusters: tuple[str, ...]

    @cached_property
    def names(self) -> list[str]:
        return sorted(set(self.clusters))

    @cached_property
    def centre(self) -> Floats:
        """(2,), the means of `deltas` and `lengths`, from which sums of squares are taken lest they cancel."""
        return np.array([self.deltas.mean(), self.lengths.mean()])

    def moments(self, names: Sequence[str]) -> Floats:
        """(6, G), the sums over each cluster of `names`; zeros for one that has no pair here."""
        y, x = _centred(self.deltas), _centred(self.lengths)
        place = {name: index for index, name in enumerate(names)}
        index = np.array([place[name] for name in self.clusters])
        terms = (np.ones_like(y), y, y * y, x, x * x, x * y)
        return np.stack([np.bincount(index, weights=term, minlength=len(names)) for term in terms])

    def effects(self) -> ClusterSums:
        """`mean_delta`, `effect_size` and `length_adjusted_delta` of this axis, in that order."""
        centre = self.centre
        return ClusterSums(self.moments(self.names), lambda totals: axis_effects(totals, centre))

    def cohens_d(self) -> float | None:
        """Mean over standard deviation, with n - 1 degrees of freedom, uncorrected; None without a spread."""
        if not differ(self.deltas, -inf, inf):
            return None
        return float(self.deltas.mean() / self.deltas.std(ddof=1))

    def signs(self) -> tuple[int, int, int]:
        """How many clusters' deltas add up to more than 0, to less, and to 0."""
        sums = dict.fromkeys(self.names, 0.0)
        for name, delta in zip(self.clusters, self.deltas, strict=True):
            sums[name] += float(delta)
        above, below = (sum(sign * value > 0 for value in sums.values()) for sign in (1, -1))
        return above, below, len(sums) - above - below


def _centred(values: Floats) -> Floats:
    """`values` less their mean, exactly 0 where they differ by no more than rounding."""
    return values - values.mean() if differ(values, -inf, inf) else np.zeros_like(values)


def axis_effects(totals: Floats, centre: Floats) -> Floats:
    """(3, ...) from moments (6, ...) about `centre`: mean, Hedges' g, intercept of delta on length_delta.

    g = J(n - 1) mean / sd, sd with n - 1 degrees of freedom; J(m) = 1 - 3 / (4 m - 1) (Hedges 1981). The intercept is
    mean - slope * mean length_delta by least squares. NaN, or infinite, where it is divided by nothing.
    """
    with np.errstate(all="ignore"):
        n, y, yy, x, xx, xy = totals
        mean, length = centre[0] + y / n, centre[1] + x / n
        effect = correction(n - 1) * mean / np.sqrt(about_mean(n, y, yy) / (n - 1))
        adjusted = mean - (xy - x * y / n) / about_mean(n, x, xx) * length
    return np.stack([mean, effect, adjusted])


def length_effects(totals: Floats) -> Floats:
    """(2, ...) from the moments of K axes (6 K, ...): slope of delta on length_delta, and the standardised slope.

    Least squares with an intercept for each axis, so that only differences within axes count. Standardised: slope *
    sd(length_delta) / sd(residual), both within axes, with N - K and m = N - K - 1 degrees of freedom, times J(m).
    """
    with np.errstate(all="ignore"):
        n, y, yy, x, xx, xy = np.moveaxis(totals.reshape(-1, MOMENTS, *totals.shape[1:]), 1, 0)
        held = n > 0
        lengths = np.where(held, about_mean(n, x, xx), 0.0).sum(axis=0)
        deltas = np.where(held, about_mean(n, y, yy), 0.0).sum(axis=0)
        products = np.where(held, xy - x * y / n, 0.0).sum(axis=0)
        free = (n - held).sum(axis=0) - 1
        slope = products / lengths
        residual = np.where(deltas - slope * products > ROUNDING * deltas, deltas - slope * products, 0.0)
        effect = correction(free) * slope * np.sqrt(lengths / (free + 1)) / np.sqrt(residual / free)
    return np.stack([slope, effect])


def about_mean(n: Floats, total: Floats, squares: Floats) -> Floats:
    """The sum of squares about the mean, exactly 0 where it is but rounding."""
    about: Floats = squares - total * total / n
    return np.where(about > ROUNDING * squares, about, 0.0)


def correction(free: Floats) -> Floats:
    """Hedges' factor 1 - 3 / (4 m - 1) for m degrees of freedom; below one degree there is none."""
    with np.errstate(all="ignore"):
        factor: Floats = 1 - 3 / (4 * free - 1)
    return np.where(free >= 1, factor, np.nan)
