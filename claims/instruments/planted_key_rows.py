"""What rows say of each organism, and how well each method recovers each of its answer keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from claims.instruments.grid import Floats, Grid, grids, mean_of_joined
from claims.instruments.manifest import Row
from claims.ranking import auroc, spearman


@dataclass(frozen=True)
class MeasuredOrganism:
    """`norms` are the key twins' mean last-token output differences by component, `constructed` the carriers."""

    number: int
    accuracy: float
    governed: bool
    norms: Mapping[str, float]
    constructed: frozenset[str]
    grid: Grid


@dataclass
class _Facts:
    """What the rows of kind key and organism say, noted as all rows pass by: these are few, cells are many."""

    norms: dict[int, dict[str, float]] = field(default_factory=dict)
    constructed: dict[int, set[str]] = field(default_factory=dict)
    obeyed: dict[int, tuple[float, bool]] = field(default_factory=dict)

    def noting(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if row["kind"] == "key":
                self.norms.setdefault(row["organism"], {})[row["component"]] = float(row["norm"])
                if row["constructed"]:
                    self.constructed.setdefault(row["organism"], set()).add(row["component"])
            elif row["kind"] == "organism":
                self.obeyed[row["organism"]] = (row["accuracy"], row["governed"])
            yield row


def organisms_in(rows: Iterable[Row]) -> list[MeasuredOrganism]:
    """The organisms by number, holding numbers and no rows. Raises KeyError when one lacks its rows of a kind."""
    facts = _Facts()
    measured = grids(facts.noting(rows), by="organism")
    return [
        MeasuredOrganism(
            number,
            accuracy,
            governed,
            facts.norms[number],
            frozenset(facts.constructed[number]),
            measured[number],
        )
        for number, (accuracy, governed) in sorted(facts.obeyed.items())
    ]


def recovered(organism: MeasuredOrganism, key_size: int) -> dict[str, float]:
    """The organism's value of every metric that is defined for it.

    Both methods are scored on the components that were ranked both ways. A metric is left out when a key covers
    none or all of them, or when a ranking is all ties.
    """
    grid = organism.grid
    attribution = mean_of_joined(np.abs(grid.differential), grid.joined)
    patching = mean_of_joined(np.abs(grid.effect), grid.joined)
    ranked = np.flatnonzero(~np.isnan(patching))
    names = [grid.components[index] for index in ranked]
    values: dict[str, float] = {}
    for suffix, key in (("", twin_key(organism.norms, key_size)), ("_constructed", organism.constructed)):
        values |= _against(key, suffix, names, attribution[ranked], patching[ranked])
    rho = spearman(list(attribution[ranked]), list(patching[ranked]))
    return values if rho is None else {**values, "spearman": rho}


def twin_key(norms: Mapping[str, float], key_size: int) -> frozenset[str]:
    """The `key_size` components with the largest norms; of equal ones, the earlier."""
    return frozenset(sorted(norms, key=lambda component: -norms[component])[:key_size])


def _against(
    key: frozenset[str], suffix: str, names: list[str], attribution: Floats, patching: Floats
) -> dict[str, float]:
    labels = [name in key for name in names]
    if all(labels) or not any(labels):
        return {}
    of_attribution, of_patching = auroc(list(attribution), labels), auroc(list(patching), labels)
    return {
        f"attribution_recovery_auc{suffix}": of_attribution,
        f"patching_recovery_auc{suffix}": of_patching,
        f"recovery_gap{suffix}": of_patching - of_attribution,
    }
