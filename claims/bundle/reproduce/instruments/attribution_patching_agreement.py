"""Recomputes attribution_patching_agreement: Spearman's rho between two rankings of components, by dimension."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from claims.bundle.reproduce.cells import joined
from claims.bundle.reproduce.ranks import mean, spearman

RANKED_BY: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "abs": (abs, abs),
    "signed": (float, abs),
    "signed_signed": (float, float),
}
"""What is made of a differential and of an effect before their means over pairs rank the components."""


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name; of no dimension are those over dimensions, if one has no rho."""
    rank_by = registration["instrument"].get("params", {}).get("rank_by", "abs")
    dimensions: dict[str, dict[str, Component]] = {}
    for differential, row in joined(rows, ("dimension", "pair_id", "component")):
        components = dimensions.setdefault(row["dimension"], {})
        component = components.setdefault(row["component"], Component())
        if row["state"] == "ok":
            component.add(differential, float(row["effect"]), float(row["margin"]))
    found: dict[str, float] = {}
    rhos: list[float] = []
    for dimension, components in dimensions.items():
        ranked = [component for component in components.values() if component.effects]
        attribution, patching = rankings(ranked, rank_by)
        rho = spearman(attribution, patching)
        if rho is not None:
            found[f"rho.{dimension}"] = rho
            rhos.append(rho)
        moves = ranked[attribution.index(max(attribution))].moves() if ranked else None
        if moves is not None:
            found[f"top_attribution_moves.{dimension}"] = moves
    if rhos and len(rhos) == len(dimensions):
        found["mean_rho"] = mean(rhos)
        found["negative_dimensions"] = float(sum(rho < 0 for rho in rhos))
    return found


class Component:
    """One component in one dimension: the cells in which a patch could act, each number a column."""

    def __init__(self) -> None:
        self.differentials = array("d")
        self.effects = array("d")
        self.margins = array("d")

    def add(self, differential: float, effect: float, margin: float) -> None:
        self.differentials.append(differential)
        self.effects.append(effect)
        self.margins.append(margin)

    def moves(self) -> float | None:
        """|mean effect| / |mean margin|; None where margins add up to 0."""
        margin = abs(fsum(self.margins))
        return abs(fsum(self.effects)) / margin if margin else None


def rankings(components: Sequence[Component], rank_by: str) -> tuple[list[float], list[float]]:
    """What attribution and what patching rank the components by."""
    of_differential, of_effect = RANKED_BY[rank_by]
    return (
        [mean([of_differential(value) for value in component.differentials]) for component in components],
        [mean([of_effect(value) for value in component.effects]) for component in components],
    )
