"""Recomputes planted_key_recovery: AUROC of two rankings against two answer keys, mean over governed organisms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from claims.bundle.reproduce.cells import Cells
from claims.bundle.reproduce.ranks import auroc, mean, spearman


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    key_size = registration["instrument"].get("params", {}).get("key_size", 3)
    organisms: dict[int, Organism] = {}
    for row in rows:
        organisms.setdefault(row["organism"], Organism()).add(row)
    governed = [organism for _, organism in sorted(organisms.items()) if organism.governed]
    values: dict[str, list[float]] = {}
    for organism in governed:
        for name, value in organism.recovered(key_size).items():
            values.setdefault(name, []).append(value)
    found = {name: mean(each) for name, each in values.items()}
    return {**found, "organisms_governed": float(len(governed))}


class Organism:
    """One organism's rows: how well it obeys, what reacts to its marker, what could learn, and its cells."""

    def __init__(self) -> None:
        self.governed = False
        self.accuracy = 0.0
        self.norms: dict[str, float] = {}
        self.constructed: set[str] = set()
        self.cells = Cells()

    def add(self, row: Mapping[str, Any]) -> None:
        if row["kind"] == "organism":
            self.governed, self.accuracy = row["governed"], float(row["accuracy"])
        elif row["kind"] == "key":
            self.norms[row["component"]] = float(row["norm"])
            if row["constructed"]:
                self.constructed.add(row["component"])
        else:
            self.cells.add(row)

    def recovered(self, key_size: int) -> dict[str, float]:
        """Its value of each metric; a metric is absent when a key or a ranking leaves it undefined."""
        cells = self.cells
        ranked = [component for component, joined in cells.joined.items() if joined]
        attribution = [mean([abs(cells.differentials[cell]) for cell in cells.joined[one]]) for one in ranked]
        patching = [mean([abs(cells.effects[cell]) for cell in cells.joined[one]]) for one in ranked]
        found = {"organism_accuracy": self.accuracy}
        traced = auroc(list(self.norms.values()), [component in self.constructed for component in self.norms])
        if traced is not None:
            found["twin_norm_auc_constructed"] = traced
        twin_key = set(sorted(self.norms, key=lambda component: -self.norms[component])[:key_size])
        for suffix, key in (("", twin_key), ("_constructed", self.constructed)):
            labels = [component in key for component in ranked]
            one, other = auroc(attribution, labels), auroc(patching, labels)
            if one is not None and other is not None:
                found["attribution_recovery_auc" + suffix] = one
                found["patching_recovery_auc" + suffix] = other
                found["recovery_gap" + suffix] = other - one
        rho = spearman(attribution, patching)
        return found if rho is None else {**found, "spearman": rho}
