"""Two numbers of every component against each other, one panel a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import altair as alt

from app.pages.charts.theme import MUTED, WIDE, Picture, data, pictured


@dataclass(frozen=True)
class Point:
    """A component of one dimension, `across` and `up` as they were compared."""

    dimension: str
    component: str
    across: float
    up: float


def scatter(points: Sequence[Point], label: str, *, diagonal: bool = False) -> Picture:
    """Each panel has scales of its own: only what lies within one is compared. `diagonal`: where both are equal."""
    return pictured(lambda width: _panels(points, width, diagonal=diagonal), label)


def _panels(points: Sequence[Point], width: int, *, diagonal: bool) -> alt.ConcatChart:
    columns = 4 if width == WIDE else 2
    inner = width // columns - 46  # room for a panel's axis labels
    ordered = sorted(points, key=lambda one: one.dimension)
    panels = [
        _panel(list(own), diagonal=diagonal).properties(
            width=inner,
            height=round(inner * 0.8),
            title=alt.Title(dimension, anchor="start", fontSize=11, fontWeight="normal"),
        )
        for dimension, own in groupby(ordered, key=lambda one: one.dimension)
    ]
    return alt.concat(*panels, columns=columns, spacing={"row": 58, "column": 46}, bounds="flush")


def _panel(points: Sequence[Point], *, diagonal: bool) -> alt.LayerChart:
    values = [{**vars(one), "hint": f"{one.component}: {one.across:.4g}, {one.up:.4g}"} for one in points]
    few = alt.Axis(tickCount=3, format="~g", grid=False)
    x = alt.X("across:Q", axis=few, title=None, scale=alt.Scale(nice=3, zero=False))
    y = alt.Y("up:Q", axis=few, title=None, scale=alt.Scale(nice=3, zero=False))
    marks = alt.Chart(data(values)).mark_point(filled=True, size=26, opacity=0.75, color="var(--first)")
    drawn = marks.encode(x=x, y=y, description="hint:N")
    return alt.layer(*([_diagonal(points, x, y)] if diagonal else []), drawn)


def _diagonal(points: Sequence[Point], x: alt.X, y: alt.Y) -> alt.Chart:
    """From the lowest to the highest of either number."""
    held = [end for one in points for end in (one.across, one.up)]
    ends = [{"across": end, "up": end} for end in (min(held), max(held))]
    return alt.Chart(data(ends)).mark_line(color=MUTED, strokeDash=[3, 3], strokeWidth=1, aria=False).encode(x=x, y=y)
