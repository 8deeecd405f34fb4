"""The pictures of `attribution_patching_agreement`: both measures of every component, and rho by dimension."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from app.pages import words
from app.pages.charts.agreement import ComponentMeans, Rho, rhos, scatter
from app.pages.pictures.pictured import Pictured
from claims.evidence import Estimate, Evidence
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.attribution_patching_agreement import PARAMS
from claims.instruments.grid import grids
from claims.instruments.manifest import Row
from claims.instruments.params import completed
from claims.registration.model import Registration

MOST_ROWS = 1000  # of a table in a page; beyond, the file of rows serves better
MEASURES = {
    "abs": ("mean |attribution|", "mean |patch effect|"),
    "signed": ("mean attribution", "mean |patch effect|"),
    "signed_signed": ("mean attribution", "mean patch effect"),
}


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """The rhos first, for they were estimated; then what they summarise."""
    rank_by = completed(PARAMS, registration.instrument.params)["rank_by"]
    ranked = {dimension: Ranked(grid, rank_by) for dimension, grid in grids(rows, by="dimension").items()}
    means = [one for dimension, dimension_ranked in ranked.items() for one in _means(dimension, dimension_ranked)]
    pictures = [_rhos(evidence, list(ranked))] if any(f"rho.{name}" in evidence.estimates for name in ranked) else []
    return [*pictures, _scatter(means, *MEASURES[rank_by])] if means else pictures


def _means(dimension: str, ranked: Ranked) -> list[ComponentMeans]:
    """The components that were ranked both ways."""
    attribution, effect = ranked.values(ranked.everything())
    return [
        ComponentMeans(dimension, ranked.grid.components[index], float(attribution[index]), float(effect[index]))
        for index in np.flatnonzero(~np.isnan(effect))
    ]


def _rhos(evidence: Evidence, dimensions: Sequence[str]) -> Pictured:
    names = {f"rho.{dimension}": dimension for dimension in dimensions} | {"mean_rho": "mean of them"}
    found = [
        Rho(shown, one.value, one.lo, one.hi)
        for name, shown in names.items()
        if (one := evidence.estimates.get(name)) is not None
    ]
    said = ", ".join(f"{one.name} {words.number(one.value)}" for one in found)
    return Pictured(
        title="Rank agreement by dimension",
        says="Right of zero, what attribution credits is what patching moves; left of zero, it is something else.",
        drawn=rhos(found, f"Spearman's rho with its interval for each dimension: {said}."),
        caption="Mark: Spearman's rho over components. Bar: delete-one-cluster jackknife interval.",
        columns=(
            "Dimension",
            "rho",
            "Interval",
            "Reliability, attribution",
            "Reliability, patching",
            "Top by attribution moves",
        ),
        rows=[_rho_row(dimension, evidence) for dimension in dimensions],
    )


def _rho_row(dimension: str, evidence: Evidence) -> list[str]:
    rho = evidence.estimates.get(f"rho.{dimension}")
    moves = evidence.estimates.get(f"top_attribution_moves.{dimension}")
    return [
        dimension,
        _value(rho),
        words.interval(rho.lo, rho.hi) if rho else words.NOTHING,
        *(_diagnostic(evidence.diagnostics, f"reliability_{of}.{dimension}") for of in ("attribution", "patching")),
        words.percent(moves.value) if moves else words.NOTHING,
    ]


def _scatter(means: Sequence[ComponentMeans], across: str, up: str) -> Pictured:
    dimensions = len({one.dimension for one in means})
    listed = len(means) <= MOST_ROWS
    beyond = (
        "" if listed else f" {words.count(len(means))} points are too many for a table: the rows of the run hold them."
    )
    return Pictured(
        title="Attribution against patch effect",
        says="Each point is one component. Where the two methods agreed, points would rise from left to right.",
        drawn=scatter(
            means,
            f"Scatter of {up} over {across}, one panel for each of {dimensions} dimensions, one point a component.",
        ),
        caption=f"Across: {across}. Up: {up}. In reward units; every panel has scales of its own.{beyond}",
        columns=("Dimension", "Component", across, up),
        rows=[
            [one.dimension, one.component, words.number(one.attribution), words.number(one.effect)]
            for one in (means if listed else ())
        ],
        names=2,
    )


def _value(estimate: Estimate | None) -> str:
    return words.number(estimate.value) if estimate else words.NOTHING


def _diagnostic(diagnostics: Mapping[str, float], name: str) -> str:
    return words.number(diagnostics[name]) if name in diagnostics else words.NOTHING
