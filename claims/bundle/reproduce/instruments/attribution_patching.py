"""Recomputes attribution_patching: how far estimated effects are from exact ones, by rank, by size and by sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any

from claims.bundle.reproduce.cells import Cells
from claims.bundle.reproduce.ranks import mean, spearman


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # the parameters say what the rows hold, not what follows from them
    dimensions: dict[str, Cells] = {}
    for row in rows:
        if row["kind"] in ("attribution", "patch"):
            run = row["direction"] + " " + row["pair_id"]  # a pair patched in both directions is two runs
            dimensions.setdefault(row["dimension"], Cells()).add({**row, "pair_id": run})
    found: dict[str, float] = {}
    rhos: list[float] = []
    for dimension, cells in dimensions.items():
        rho = rank_agreement(cells)
        if rho is not None:
            found["rank_agreement." + dimension] = rho
            rhos.append(rho)
        found.update(of_cells(acted(cells), "." + dimension))
    if rhos and len(rhos) == len(dimensions):
        found["rank_agreement"] = mean(rhos)
    found.update(of_cells([cell for cells in dimensions.values() for cell in acted(cells)], ""))
    return found


def rank_agreement(cells: Cells) -> float | None:
    """Spearman's rho over components between mean |estimate| and mean |exact|."""
    kept = [joined for joined in cells.joined.values() if joined]
    estimated = [mean([abs(cells.differentials[cell]) for cell in joined]) for joined in kept]
    exact = [mean([abs(cells.effects[cell]) for cell in joined]) for joined in kept]
    return spearman(estimated, exact)


def acted(cells: Cells) -> list[tuple[float, float]]:
    """(estimate, exact effect) of every cell in which the patch could act."""
    return [(cells.differentials[cell], cells.effects[cell]) for joined in cells.joined.values() for cell in joined]


def of_cells(cells: list[tuple[float, float]], suffix: str) -> dict[str, float]:
    """The error in size, as a share of the exact effects, and in sign, of the cells whose effect is not 0."""
    found: dict[str, float] = {}
    size = fsum(abs(exact) for _, exact in cells)
    if size:
        found["relative_error" + suffix] = fsum(abs(estimate - exact) for estimate, exact in cells) / size
    signed = [(estimate, exact) for estimate, exact in cells if exact != 0]
    if signed:
        agreed = sum((estimate > 0) == (exact > 0) and estimate != 0 for estimate, exact in signed)
        found["sign_agreement" + suffix] = agreed / len(signed)
        above = sum(exact > 0 for _, exact in signed) / len(signed)
        found["majority_sign" + suffix] = max(above, 1 - above)
    return found
