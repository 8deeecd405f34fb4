"""Two numbers of every component against each other, by dimension: the drawing, its words and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.pages import words
from app.pages.charts.scatter import Point, scatter
from app.pages.pictures.pictured import MOST_ROWS, Pictured

MOST_POINTS = 250  # in a panel


@dataclass(frozen=True)
class Axes:
    """What is across and what is up, and in the caption's last words, in what unit and over what."""

    across: str
    up: str
    unit: str


def scattered(title: str, says: str, points: Sequence[Point], axes: Axes, *, diagonal: bool = False) -> list[Pictured]:
    """One picture; none where there is no point."""
    if not points:
        return []
    listed, drawn = len(points) <= MOST_ROWS, thinned(points)
    told = [f"Across: {axes.across}. Up: {axes.up}. {axes.unit}; every panel has scales of its own."]
    if len(drawn) < len(points):
        told.append(
            f"Drawn are {words.count(len(drawn))} of {words.count(len(points))} points: of each panel every so many, "
            f"in order of {axes.across}, so that the cloud keeps its shape."
        )
    if not listed:
        told.append(f"{words.count(len(points))} points are too many for a table: the rows of the run hold them.")
    dimensions = len({one.dimension for one in points})
    label = f"Scatter of {axes.up} over {axes.across}: {dimensions} panels, one a dimension; points, one a component."
    return [
        Pictured(
            title=title,
            says=says,
            drawn=scatter(drawn, label, diagonal=diagonal),
            caption=" ".join(told),
            columns=("Dimension", "Component", axes.across, axes.up),
            rows=[_row(one) for one in points] if listed else (),
            names=2,
        )
    ]


def thinned(points: Sequence[Point]) -> list[Point]:
    """Of a dimension with more than 250 points, every k-th in order of `across`, and so at most as many."""
    kept: list[Point] = []
    for dimension in dict.fromkeys(one.dimension for one in points):
        own = [one for one in points if one.dimension == dimension]
        step = -(-len(own) // MOST_POINTS)
        kept += own if step == 1 else sorted(own, key=lambda one: one.across)[::step]
    return kept


def _row(one: Point) -> list[str]:
    return [one.dimension, one.component, words.number(one.across), words.number(one.up)]
