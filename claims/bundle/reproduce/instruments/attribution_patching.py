"""Recomputes attribution_patching: how far estimated effects are from exact ones, by rank, by size and by sign."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from math import fsum
from typing import Any

from claims.bundle.reproduce.cells import joined
from claims.bundle.reproduce.ranks import mean, spearman

CELL = ("dimension", "pair_id", "direction", "component")
"""What names a cell: a pair patched in both directions is two runs."""


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the parameters say what the rows hold, not what follows from them
    dimensions: dict[str, dict[str, Acted]] = {}
    for estimate, row in joined(rows, CELL):
        component = dimensions.setdefault(row["dimension"], {}).setdefault(row["component"], Acted())
        if row["state"] == "ok":
            component.add(estimate, float(row["effect"]))
    found: dict[str, float] = {}
    rhos: list[float] = []
    for dimension, components in dimensions.items():
        rho = rank_agreement(components.values())
        if rho is not None:
            found["rank_agreement." + dimension] = rho
            rhos.append(rho)
        found.update(together(components.values()).errors("." + dimension))
    if rhos and len(rhos) == len(dimensions):
        found["rank_agreement"] = mean(rhos)
    found.update(together(each for components in dimensions.values() for each in components.values()).errors(""))
    return found


class Acted:
    """Cells in which a patch could act: their estimated and their exact effects, either a column."""

    def __init__(self) -> None:
        self.estimated = array("d")
        self.exact = array("d")

    def add(self, estimate: float, effect: float) -> None:
        self.estimated.append(estimate)
        self.exact.append(effect)

    def errors(self, suffix: str) -> dict[str, float]:
        """The error in size, as a share of the exact effects, and in sign, of the cells whose effect is not 0."""
        found: dict[str, float] = {}
        size = fsum(map(abs, self.exact))
        if size:
            missed = fsum(abs(estimate - effect) for estimate, effect in zip(self.estimated, self.exact, strict=True))
            found["relative_error" + suffix] = missed / size
        above, below = sum(effect > 0 for effect in self.exact), sum(effect < 0 for effect in self.exact)
        if above + below:
            cells = zip(self.estimated, self.exact, strict=True)
            agreed = sum((e > 0 and x > 0) or (e < 0 and x < 0) for e, x in cells)
            found["sign_agreement" + suffix] = agreed / (above + below)
            found["majority_sign" + suffix] = max(above, below) / (above + below)
        return found


def together(components: Iterable[Acted]) -> Acted:
    """The cells of all of them."""
    found = Acted()
    for component in components:
        found.estimated.extend(component.estimated)
        found.exact.extend(component.exact)
    return found


def rank_agreement(components: Iterable[Acted]) -> float | None:
    """Spearman's rho between mean |estimate| and mean |exact effect|, of the components that could act at all."""
    acted = [component for component in components if component.exact]
    estimated = [mean([abs(estimate) for estimate in component.estimated]) for component in acted]
    exact = [mean([abs(effect) for effect in component.exact]) for component in acted]
    return spearman(estimated, exact)
