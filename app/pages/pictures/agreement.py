"""The pictures of `attribution_patching_agreement`: rho by dimension, the rank flip, and what was ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from app.pages import words
from app.pages.charts.intervals import Scale, intervals
from app.pages.charts.scatter import Point
from app.pages.pictures.estimates import both_cells, diagnostic_cell, known, level_said
from app.pages.pictures.pictured import Pictured
from app.pages.pictures.rank_flip import rank_flip
from app.pages.pictures.scattered import Axes, scattered
from claims.evidence import Evidence
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.attribution_patching_agreement import PARAMS
from claims.instruments.grid import grids
from claims.instruments.manifest import Row
from claims.instruments.params import completed
from claims.registration.model import Registration

MEASURES = {
    "abs": ("mean |attribution|", "mean |patch effect|"),
    "signed": ("mean attribution", "mean |patch effect|"),
    "signed_signed": ("mean attribution", "mean patch effect"),
}


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """The rhos first, for they were estimated; then what they summarise."""
    rank_by = completed(PARAMS, registration.instrument.params)["rank_by"]
    ranked = {dimension: Ranked(grid, rank_by) for dimension, grid in grids(rows, by="dimension").items()}
    return [*_rhos(evidence, list(ranked)), *rank_flip(ranked, evidence), *_scatter(ranked, *MEASURES[rank_by])]


def _rhos(evidence: Evidence, dimensions: Sequence[str]) -> list[Pictured]:
    """From the most negative up, and their mean last."""
    found = sorted(known(evidence, ((name, f"rho.{name}") for name in dimensions)), key=lambda one: one.value)
    if not found:
        return []
    found += known(evidence, [("mean of them", "mean_rho")])
    return [
        Pictured(
            title="Rank agreement by dimension",
            says="Right of zero, what attribution credits is what patching moves; left of zero, it is something else.",
            drawn=intervals(
                found,
                Scale("Spearman rho", low=-1, high=1),
                f"Spearman's rho with its interval for each dimension: {', '.join(one.hint for one in found)}.",
            ),
            caption=f"Mark: Spearman's rho over components. Bar: interval, {level_said(evidence)}.",
            columns=(
                "Dimension", "rho", "Interval", "Reliability, attribution", "Reliability, patching",
                "Top by attribution moves",
            ),
            rows=[_rho_row(dimension, evidence) for dimension in dimensions],
        )
    ]  # fmt: skip


def _rho_row(dimension: str, evidence: Evidence) -> list[str]:
    moves = evidence.estimates.get(f"top_attribution_moves.{dimension}")
    return [
        dimension,
        *both_cells(evidence, f"rho.{dimension}"),
        *(diagnostic_cell(evidence, f"reliability_{of}.{dimension}") for of in ("attribution", "patching")),
        words.percent(moves.value) if moves else words.NOTHING,
    ]


def _scatter(ranked: Mapping[str, Ranked], across: str, up: str) -> list[Pictured]:
    return scattered(
        "Attribution against patch effect",
        "Each point is one component. Where the two methods agreed, points would rise from left to right.",
        [point for dimension, one in ranked.items() for point in _points(dimension, one)],
        Axes(across, up, "In reward units"),
    )


def _points(dimension: str, ranked: Ranked) -> list[Point]:
    """The components that were ranked both ways."""
    attribution, effect = ranked.values(ranked.everything())
    names = ranked.grid.components
    return [
        Point(dimension, names[index], float(attribution[index]), float(effect[index]))
        for index in np.flatnonzero(~np.isnan(effect))
    ]
