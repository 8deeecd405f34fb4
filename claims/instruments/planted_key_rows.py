"""What rows say of each organism, and how well each method recovers each of its answer keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from claims.instruments.grid import Grid, grids, mean_of_joined
from claims.instruments.manifest import Row
from claims.ranking import auroc, spearman
from claims.seeds import Seeds
from claims.shuffling import permutation


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
    names, attribution, patching = _ranked(organism.grid)
    values: dict[str, float] = {}
    for suffix, key in (("", twin_key(organism.norms, key_size)), ("_constructed", organism.constructed)):
        values |= _against([name in key for name in names], suffix, attribution, patching)
    rho = spearman(attribution, patching)
    return values if rho is None else {**values, "spearman": rho}


def controlled(organism: MeasuredOrganism, seeds: Seeds) -> dict[str, float]:
    """The organism's value of every control that is defined for it.

    Positive: the AUROC of the twins' norms, of all components, against the constructed key. Negative: that of either
    ranking against the constructed key's labels, shuffled among the ranked components, by name, by the seed
    `controls/shuffled/<organism>`.
    """
    names, attribution, patching = _ranked(organism.grid)
    ordered = sorted(names)
    moved = permutation(len(ordered), seeds(f"controls/shuffled/{organism.number}"))
    key = {name for name, place in zip(ordered, moved, strict=True) if ordered[place] in organism.constructed}
    shuffled = [name in key for name in names]
    carriers = [name in organism.constructed for name in organism.norms]
    found: dict[str, float] = {}
    if any(carriers) and not all(carriers):
        found["twin_norm_auc_constructed"] = auroc(list(organism.norms.values()), carriers)
    if any(shuffled) and not all(shuffled):
        found["attribution_shuffled_auc"] = auroc(attribution, shuffled)
        found["patching_shuffled_auc"] = auroc(patching, shuffled)
    return found


def _ranked(grid: Grid) -> tuple[list[str], list[float], list[float]]:
    """The components that are ranked both ways, their mean |differential| and their mean |effect|."""
    attribution = mean_of_joined(np.abs(grid.differential), grid.joined)
    patching = mean_of_joined(np.abs(grid.effect), grid.joined)
    ranked = np.flatnonzero(~np.isnan(patching))
    return [grid.components[index] for index in ranked], attribution[ranked].tolist(), patching[ranked].tolist()


def twin_key(norms: Mapping[str, float], key_size: int) -> frozenset[str]:
    """The `key_size` components with the largest norms; of equal ones, the earlier."""
    return frozenset(sorted(norms, key=lambda component: -norms[component])[:key_size])


def _against(labels: list[bool], suffix: str, attribution: list[float], patching: list[float]) -> dict[str, float]:
    if all(labels) or not any(labels):
        return {}
    of_attribution, of_patching = auroc(attribution, labels), auroc(patching, labels)
    return {
        f"attribution_recovery_auc{suffix}": of_attribution,
        f"patching_recovery_auc{suffix}": of_patching,
        f"recovery_gap{suffix}": of_patching - of_attribution,
    }
