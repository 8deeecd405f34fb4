"""Recomputes patch_grid: what patching each component does on average, and what the component ahead of all moves."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from sys import intern
from typing import Any

from claims.bundle.reproduce.ranks import mean

BEYOND_REACH = ("unreachable", "unreachable_window")


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    both = registration["instrument"].get("params", {}).get("direction") == "both"
    patched: dict[str, Component] = {}
    for row in rows:
        if row["kind"] == "patch":
            patched.setdefault(row["component"], Component()).add(row)
    found: dict[str, float] = {}
    for name, component in patched.items():
        if component.effects:
            found["mean_effect." + name] = mean(component.effects)
        margin = fsum(component.margins)
        if margin:
            found["moves." + name] = abs(fsum(component.effects)) / abs(margin)
        found["unreachable_share." + name] = component.beyond_reach / component.cells
        for direction in ("noising", "denoising") if both else ():
            own = component.in_direction(direction)
            if own:
                found["mean_effect_" + direction + "." + name] = mean(own)
    top = top_moves(list(patched.values()))
    return found if top is None else {**found, "top_moves": top}


class Component:
    """One component's cells; of those in which its patch could act, each thing that is known of them a column."""

    def __init__(self) -> None:
        self.cells = 0
        self.beyond_reach = 0
        self.directions: list[str] = []
        self.clusters: list[str] = []
        self.effects = array("d")
        self.margins = array("d")

    def add(self, row: Mapping[str, Any]) -> None:
        self.cells += 1
        self.beyond_reach += row["state"] in BEYOND_REACH
        if row["state"] == "ok":
            self.directions.append(intern(row["direction"]))  # one copy of a text that many rows repeat
            self.clusters.append(intern(row["cluster"]))
            self.effects.append(float(row["effect"]))
            self.margins.append(float(row["margin"]))

    def in_direction(self, direction: str) -> list[float]:
        return [effect for way, effect in zip(self.directions, self.effects, strict=True) if way == direction]

    def by_cluster(self) -> dict[str, tuple[float, float, int]]:
        """The sum of effects, the sum of margins and the number of cells of each cluster in which it could act."""
        found: dict[str, list[tuple[float, float]]] = {}
        for cluster, effect, margin in zip(self.clusters, self.effects, self.margins, strict=True):
            found.setdefault(cluster, []).append((effect, margin))
        return {name: (fsum(e for e, _ in each), fsum(m for _, m in each), len(each)) for name, each in found.items()}


class ReadOff:
    """For one cluster: the first component so far by |mean effect| over the other clusters, and what it does here."""

    def __init__(self) -> None:
        self.ahead, self.effect, self.margin = -1.0, 0.0, 0.0

    def consider(self, of_others: float, effect: float, margin: float) -> None:
        """The effect is read off in the sign that the others' mean has, which is none where that is 0."""
        if abs(of_others) > self.ahead:
            sign = (of_others > 0) - (of_others < 0)
            self.ahead, self.effect, self.margin = abs(of_others), sign * effect, margin


def top_moves(components: Sequence[Component]) -> float | None:
    """For each cluster, the other clusters choose the component of largest |mean effect| and the sign of its mean.

    What is read off the cluster is that component's effects there, in the sign chosen. The answer is the sum of these
    over |the sum of the margins of the same cells|; None where fewer than two clusters could tell, or that is 0.
    """
    read_off = {cluster: ReadOff() for component in components for cluster in component.clusters}
    if len(read_off) < 2:  # noqa: PLR2004  # one has no others to choose by
        return None
    for component in components:
        total, cells, sums = fsum(component.effects), len(component.effects), component.by_cluster()
        for cluster, chosen in read_off.items():
            effect, margin, own = sums.get(cluster, (0.0, 0.0, 0))
            of_others = (total - effect) / (cells - own) if cells > own else 0.0
            chosen.consider(of_others, effect, margin)
    margin = abs(fsum(chosen.margin for chosen in read_off.values()))
    return fsum(chosen.effect for chosen in read_off.values()) / margin if margin else None
