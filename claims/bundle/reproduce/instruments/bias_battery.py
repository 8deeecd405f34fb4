"""Recomputes bias_battery: mean reward differences, Hedges' g, what is left at equal length, and length itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum, sqrt
from typing import Any

from claims.bundle.reproduce.ranks import mean

ROUNDING = 1e-12
"""What is this small a share of what it was taken from is rounding of 0."""


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the instrument has no parameters
    axes: dict[str, Axis] = {}
    for row in rows:
        if row["kind"] == "bias":
            axes.setdefault(row["axis"], Axis()).add(row)
    found: dict[str, float] = {}
    for name, axis in sorted(axes.items()):
        found.update({metric + "." + name: value for metric, value in axis.metrics().items()})
    found.update(of_length(list(axes.values())))
    effects = [abs(found["effect_size." + name]) for name in axes if "effect_size." + name in found]
    if effects and len(effects) == len(axes):
        found["max_abs_effect_size"] = max(effects)
    return found


class Axis:
    """The pairs of one axis: how much higher chosen scores, how much longer it is, and of which cluster it is."""

    def __init__(self) -> None:
        self.deltas: list[float] = []
        self.lengths: list[float] = []
        self.clusters: dict[str, list[float]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        self.deltas.append(float(row["delta"]))
        self.lengths.append(float(row["length_delta"]))
        self.clusters.setdefault(row["cluster"], []).append(float(row["delta"]))

    def metrics(self) -> dict[str, float]:
        n, average, length = len(self.deltas), mean(self.deltas), mean(self.lengths)
        sizes = [len(deltas) for deltas in self.clusters.values()]
        found = {
            "mean_delta": average,
            "mean_length_delta": length,
            "n_effective": sum(sizes) ** 2 / sum(size**2 for size in sizes),
        }
        spread = about_mean(self.deltas, self.deltas)
        if spread:
            found["cohens_d"] = average / sqrt(spread / (n - 1))
            found["effect_size"] = hedges(n - 1) * found["cohens_d"]
        of_lengths = about_mean(self.lengths, self.lengths)
        if of_lengths:
            found["length_adjusted_delta"] = average - about_mean(self.lengths, self.deltas) / of_lengths * length
        sums = [fsum(deltas) for deltas in self.clusters.values()]
        up, down = sum(each > 0 for each in sums), sum(each < 0 for each in sums)
        if up + down:
            found["sign_test_p"] = sign_test(up, down)
        return found


def of_length(axes: list[Axis]) -> dict[str, float]:
    """Least squares of delta on length with an intercept for each of K axes: the slope, then the slope for one standard
    deviation of length over the residual's, with N - K and N - K - 1 degrees of freedom, times Hedges' factor.
    """
    lengths = fsum(about_mean(axis.lengths, axis.lengths) for axis in axes)
    free = sum(len(axis.deltas) for axis in axes) - len(axes) - 1
    if not lengths:
        return {}
    slope = fsum(about_mean(axis.lengths, axis.deltas) for axis in axes) / lengths
    found = {"length_slope": slope}
    deltas = fsum(about_mean(axis.deltas, axis.deltas) for axis in axes)
    residual = deltas - slope * slope * lengths
    if free >= 1 and residual > ROUNDING * deltas:
        found["length_effect_size"] = hedges(free) * slope * sqrt(lengths / (free + 1)) / sqrt(residual / free)
    return found


def about_mean(first: list[float], second: list[float]) -> float:
    """The sum of products of deviations from the means; 0 where one side is all equal, but for rounding."""
    for values in (first, second):
        if max(values) - min(values) <= ROUNDING * max(abs(value) for value in values):
            return 0.0
    a, b = mean(first), mean(second)
    return fsum((x - a) * (y - b) for x, y in zip(first, second, strict=True))


def hedges(free: int) -> float:
    """Hedges' factor for so many degrees of freedom (1981, his approximation)."""
    return 1 - 3 / (4 * free - 1)


def sign_test(up: int, down: int) -> float:
    """Exact and two-sided: how probable so uneven a split is where either sign is as likely."""
    n = up + down
    choices = tail = 1
    for k in range(1, min(up, down) + 1):
        choices = choices * (n - k + 1) // k  # n choose k, of n choose k - 1
        tail += choices
    return min(1.0, 2 * tail / (1 << n))
