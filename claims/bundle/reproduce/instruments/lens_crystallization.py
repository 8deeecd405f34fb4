"""Recomputes lens_crystallization: the layers at which running margins reach half of their final value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from claims.bundle.reproduce.ranks import mean


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name: over all pairs, then over each dimension's."""
    del registration  # the instrument has no parameters
    margins: dict[str, dict[int, float]] = {}
    dimensions: dict[str, str] = {}
    for row in rows:
        if row["kind"] == "lens":
            margins.setdefault(row["pair_id"], {})[row["layer"]] = float(row["margin"])
            dimensions[row["pair_id"]] = row["dimension"]
    curves = {pair: [of_pair[layer] for layer in range(-1, len(of_pair) - 1)] for pair, of_pair in margins.items()}
    found = of_curves(list(curves.values()), "")
    for dimension in sorted(set(dimensions.values())):
        own = [curve for pair, curve in curves.items() if dimensions[pair] == dimension]
        found.update(of_curves(own, "." + dimension))
    return found


def of_curves(curves: Sequence[Sequence[float]], suffix: str) -> dict[str, float]:
    """A curve is a pair's margin after the embedding, layer -1, and after each layer."""
    layers = len(curves[0]) - 1
    mean_curve = [mean([curve[place] for curve in curves]) for place in range(layers + 1)]
    found = {"final_margin" + suffix: mean_curve[-1]}
    if mean_curve[-1] != 0:
        layer = first_crossing(mean_curve)
        found["crystallization_layer" + suffix] = float(layer)
        found["crystallization_fraction" + suffix] = (layer + 1) / layers
    with_half = [curve for curve in curves if curve[-1] != 0]
    if with_half:
        depths = sorted(first_crossing(curve) for curve in with_half)
        by_half_of_them = depths[(len(depths) - 1) // 2]
        found["crystallization_layer_median" + suffix] = float(by_half_of_them)
        again = sum(not all(crossed(curve)[first_crossing(curve) + 1 :]) for curve in with_half)
        found["recrossing_share" + suffix] = again / len(with_half)
    return found


def crossed(curve: Sequence[float]) -> list[bool]:
    """Where the margin is at least half of its final value, which is not 0, with the final sign."""
    sign = 1 if curve[-1] > 0 else -1
    return [2 * sign * margin >= abs(curve[-1]) for margin in curve]


def first_crossing(curve: Sequence[float]) -> int:
    """The first such layer; -1 is the embedding."""
    return crossed(curve).index(True) - 1
