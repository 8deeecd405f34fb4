"""Recomputes patch_grid: what patching each component does on average, and what the component ahead of all moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any

from claims.bundle.reproduce.ranks import mean

BEYOND_REACH = ("unreachable", "unreachable_window")


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the parameters say what the rows hold, not what follows from them
    patched: dict[str, Component] = {}
    for row in rows:
        if row["kind"] == "patch":
            patched.setdefault(row["component"], Component()).add(row)
    directions = sorted({direction for one in patched.values() for direction in one.directions})
    found: dict[str, float] = {}
    for name, component in patched.items():
        effects, margins = component.effects(), component.margins()
        if effects:
            found["mean_effect." + name] = mean(effects)
        if fsum(margins):
            found["moves." + name] = abs(fsum(effects)) / abs(fsum(margins))
        found["unreachable_share." + name] = component.beyond_reach / component.cells
        for direction in directions if len(directions) > 1 else []:
            own = component.effects(direction)
            if own:
                found["mean_effect_" + direction + "." + name] = mean(own)
    top = top_moves(list(patched.values()))
    return found if top is None else {**found, "top_moves": top}


class Component:
    """One component's cells; of those in which its patch could act, (direction, cluster, effect, margin)."""

    def __init__(self) -> None:
        self.cells = 0
        self.beyond_reach = 0
        self.directions: set[str] = set()
        self.acted: list[tuple[str, str, float, float]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        self.cells += 1
        self.beyond_reach += row["state"] in BEYOND_REACH
        self.directions.add(row["direction"])
        if row["state"] == "ok":
            self.acted.append((row["direction"], row["cluster"], float(row["effect"]), float(row["margin"])))

    def effects(self, direction: str | None = None) -> list[float]:
        return [effect for way, _, effect, _ in self.acted if direction in (None, way)]

    def margins(self) -> list[float]:
        return [margin for _, _, _, margin in self.acted]

    def by_cluster(self) -> dict[str, tuple[float, float, int]]:
        """The sum of effects, the sum of margins and the number of cells of each cluster in which it could act."""
        found: dict[str, list[tuple[float, float]]] = {}
        for _, cluster, effect, margin in self.acted:
            found.setdefault(cluster, []).append((effect, margin))
        return {name: (fsum(e for e, _ in each), fsum(m for _, m in each), len(each)) for name, each in found.items()}


def top_moves(components: list[Component]) -> float | None:
    """For each cluster, the other clusters choose the component of largest |mean effect| and the sign of its mean.

    What is read off the cluster is that component's effects there, in the sign chosen. The answer is the sum of these
    over |the sum of the margins of the same cells|; None where fewer than two clusters could tell, or that is 0.
    """
    sums = [component.by_cluster() for component in components]
    totals = [(fsum(e for e, _, _ in each.values()), sum(n for _, _, n in each.values())) for each in sums]
    clusters = sorted({cluster for each in sums for cluster in each})
    if len(clusters) < 2:  # noqa: PLR2004  # one has no others to choose by
        return None
    effects, margins = [], []
    for cluster in clusters:
        means = [
            mean_of_others(total, each.get(cluster, (0.0, 0.0, 0))) for total, each in zip(totals, sums, strict=True)
        ]
        first = max(range(len(means)), key=lambda place: abs(means[place]))
        effect, margin, _ = sums[first].get(cluster, (0.0, 0.0, 0))
        sign = (means[first] > 0) - (means[first] < 0)
        effects.append(sign * effect)
        margins.append(margin)
    return fsum(effects) / abs(fsum(margins)) if fsum(margins) else None


def mean_of_others(total: tuple[float, int], own: tuple[float, float, int]) -> float:
    """The mean effect over the cells of all clusters but one; 0 where there is no such cell."""
    cells = total[1] - own[2]
    return (total[0] - own[0]) / cells if cells else 0.0
