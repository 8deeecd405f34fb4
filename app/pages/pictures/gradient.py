"""The pictures of `attribution_patching`: the gradient's guess against the exact effect, and how wrong it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from app.pages.charts.intervals import Measured, Scale, intervals
from app.pages.charts.scatter import Point
from app.pages.pictures.estimates import both_cells, diagnostic_cell, known, level_said, measured, members
from app.pages.pictures.pictured import Pictured
from app.pages.pictures.scattered import Axes, scattered
from claims.evidence import Evidence
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.grid import grids
from claims.instruments.manifest import Row
from claims.registration.model import Registration

ALL = "all dimensions"


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """The scatter first, for it is what the rest summarises."""
    del registration
    laid = {name: Ranked(grid, "signed_signed") for name, grid in grids(rows, by="dimension", directed=True).items()}
    points = [point for name, ranked in laid.items() for point in _points(name, ranked)]
    dimensions = members(evidence, "rank_agreement", "relative_error", "sign_agreement")
    errors = [
        measured(name, one, second=one.value > 1)
        for name, metric in _named("relative_error", dimensions)
        if (one := evidence.estimates.get(metric))
    ]
    ranks = known(evidence, _named("rank_agreement", dimensions))
    table = [_row(evidence, name, member) for name, member in _members(dimensions)]
    return [
        *_scatter(points),
        *([_errors(errors, evidence, table)] if errors else []),
        *([_ranks(ranks, evidence, table)] if ranks else []),
    ]


def _points(dimension: str, ranked: Ranked) -> list[Point]:
    """The mean of the exact and of the estimated effect over the cells where a patch could act."""
    estimated, exact = ranked.values(ranked.everything())
    names = ranked.grid.components
    return [Point(dimension, names[k], float(exact[k]), float(estimated[k])) for k in np.flatnonzero(~np.isnan(exact))]


def _scatter(points: Sequence[Point]) -> list[Pictured]:
    return scattered(
        "The gradient's guess against the exact effect",
        "Each point is one component. On the dashed line the guess is right; flatter, it is too small.",
        points,
        Axes(
            "mean exact effect",
            "mean estimated effect",
            "Estimated is gradient times activation difference; both in reward, over the cells where a patch could act",
        ),
        diagonal=True,
    )


def _errors(found: Sequence[Measured], evidence: Evidence, table: Sequence[Sequence[str]]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    return Pictured(
        title="How wrong the guess is",
        says="At 0 every guess is right; at 1 the guess errs as much as saying 0 everywhere would.",
        drawn=intervals(
            found, Scale("relative error", beside=1.0, low=0.0), f"Relative error with its interval. {said}."
        ),
        caption=(
            "Mark: sum of |estimated less exact effect| over sum of |exact effect|, over cells. Bar: interval, "
            f"{level_said(evidence)}. Line: 1."
        ),
        columns=COLUMNS,
        rows=table,
    )


def _ranks(found: Sequence[Measured], evidence: Evidence, table: Sequence[Sequence[str]]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    return Pictured(
        title="Whether the guess ranks components as patching does",
        says="At 1 both rank all components alike; at 0 the guess's ranking knows nothing of the exact one.",
        drawn=intervals(found, Scale("Spearman's rho", low=-1, high=1), f"Rank agreement with its interval. {said}."),
        caption=f"Mark: Spearman's rho over components of mean magnitudes. Bar: interval, {level_said(evidence)}.",
        columns=COLUMNS,
        rows=table,
    )


COLUMNS = (
    "Dimension", "Rank agreement", "Interval", "Relative error", "Interval", "Sign agreement", "Interval",
    "Majority sign",
)  # fmt: skip


def _members(dimensions: Sequence[str]) -> list[tuple[str, str]]:
    return [*((name, f".{name}") for name in dimensions), (ALL, "")]


def _named(family: str, dimensions: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, f"{family}{member}") for name, member in _members(dimensions)]


def _row(evidence: Evidence, name: str, member: str) -> list[str]:
    metrics = ("rank_agreement", "relative_error", "sign_agreement")
    cells = (cell for metric in metrics for cell in both_cells(evidence, f"{metric}{member}"))
    return [name, *cells, diagnostic_cell(evidence, f"majority_sign{member}")]
