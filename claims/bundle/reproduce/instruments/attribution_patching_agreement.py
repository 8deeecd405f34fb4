"""Recomputes attribution_patching_agreement: Spearman's rho between two rankings of components, by dimension."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from math import fsum
from sys import intern
from typing import Any

from claims.bundle.reproduce.cells import joined
from claims.bundle.reproduce.ranks import mean, spearman

RANKED_BY: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "abs": (abs, abs),
    "signed": (float, abs),
    "signed_signed": (float, float),
}
"""What is made of a differential and of an effect before their means over pairs rank the components."""


SPLITS = 32


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name; of no dimension are those over dimensions, if one has no rho."""
    rank_by = registration["instrument"].get("params", {}).get("rank_by", "abs")
    dimensions: dict[str, Dimension] = {}
    for differential, row in joined(rows, ("dimension", "pair_id", "component")):
        dimensions.setdefault(row["dimension"], Dimension(rank_by)).add(differential, row)
    found: dict[str, float] = {}
    for name, dimension in dimensions.items():
        for metric, value in dimension.metrics().items():
            if value is not None:
                found[f"{metric}.{name}"] = value
    rhos = [found["rho." + name] for name in dimensions if "rho." + name in found]
    if rhos and len(rhos) == len(dimensions):
        found["mean_rho"] = mean(rhos)
        found["negative_dimensions"] = float(sum(rho < 0 for rho in rhos))
    return found


class Component:
    """The cells of one component in which a patch could act, each thing that is known of them a column."""

    def __init__(self) -> None:
        self.clusters: list[str] = []
        self.differentials = array("d")
        self.effects = array("d")
        self.margins = array("d")

    def add(self, differential: float, row: Mapping[str, Any]) -> None:
        self.clusters.append(intern(row["cluster"]))  # one copy of a text that many rows repeat
        self.differentials.append(differential)
        self.effects.append(float(row["effect"]))
        self.margins.append(float(row["margin"]))

    def ranked_by(self, rank_by: str, clusters: Container[str]) -> tuple[float, float] | None:
        """What attribution and what patching rank it by, from the cells of these clusters; None where there is none."""
        kept = [place for place, cluster in enumerate(self.clusters) if cluster in clusters]
        if not kept:
            return None
        of_differential, of_effect = RANKED_BY[rank_by]
        return (
            mean([of_differential(self.differentials[place]) for place in kept]),
            mean([of_effect(self.effects[place]) for place in kept]),
        )

    def moves(self) -> float | None:
        """|mean effect| / |mean margin|; None where margins add up to 0."""
        margin = abs(fsum(self.margins))
        return abs(fsum(self.effects)) / margin if margin else None


class Dimension:
    """The components of one dimension in the order of the rows, and the clusters that its pairs are of."""

    def __init__(self, rank_by: str) -> None:
        self.rank_by = rank_by
        self.components: dict[str, Component] = {}
        self.clusters: set[str] = set()

    def add(self, differential: float, row: Mapping[str, Any]) -> None:
        component = self.components.setdefault(row["component"], Component())
        self.clusters.add(row["cluster"])
        if row["state"] == "ok":
            component.add(differential, row)

    def metrics(self) -> dict[str, float | None]:
        """By name without the dimension's; None is not defined."""
        ranked = {one: by for one in self.components.values() if (by := one.ranked_by(self.rank_by, self.clusters))}
        attribution, patching = [by[0] for by in ranked.values()], [by[1] for by in ranked.values()]
        first = max(ranked, key=lambda one: ranked[one][0], default=None)
        of_attribution, of_patching = self.reliabilities()
        return {
            "rho": spearman(attribution, patching),
            "top_attribution_moves": None if first is None else first.moves(),
            "reliability_attribution": of_attribution,
            "reliability_patching": of_patching,
        }

    def reliabilities(self) -> tuple[float | None, float | None]:
        """How far the rankings of two halves of the clusters agree, on average over splits, for either method.

        Stepped up to the whole by Spearman and Brown's 2 r / (1 + r) where it is positive.
        """
        rhos = [self.halves_agree(half) for half in halves(sorted(self.clusters))]
        attribution, patching = [one for one, _ in rhos if one is not None], [two for _, two in rhos if two is not None]
        if not rhos or not len(attribution) == len(patching) == len(rhos):
            return None, None
        return stepped_up(mean(attribution)), stepped_up(mean(patching))

    def halves_agree(self, half: set[str]) -> tuple[float | None, float | None]:
        """Rho of attribution, then of patching, over the components that both halves rank."""
        both = [
            (one, other)
            for component in self.components.values()
            if (one := component.ranked_by(self.rank_by, half))
            and (other := component.ranked_by(self.rank_by, self.clusters - half))
        ]
        rho_of = [spearman([one[method] for one, _ in both], [two[method] for _, two in both]) for method in (0, 1)]
        return rho_of[0], rho_of[1]


def halves(clusters: Sequence[str]) -> Iterator[set[str]]:
    """The first halves of Walsh's splits, up to 31: the clusters whose number has an even count of bits in the mask.

    Splits with less than a third of the clusters on one side are passed over: so few say little of a half.
    """
    for mask in range(1, min(SPLITS, 1 << (len(clusters) - 1).bit_length())):
        half = {cluster for number, cluster in enumerate(clusters) if (number & mask).bit_count() % 2 == 0}
        if 3 * min(len(half), len(clusters) - len(half)) >= len(clusters):
            yield half


def stepped_up(rho: float) -> float:
    return 2 * rho / (1 + rho) if rho > 0 else rho
