"""One number of every head: a field of layers by heads, blue above zero, amber with a dash below, a cross for none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from app.pages.charts.theme import INK, MUTED, WIDE, Picture, data, pictured

FAINTEST = 0.04  # opacity of the smallest value, so that a cell is seen at all
DASHED = 0.15  # of the largest magnitude, from which on a cell below zero has its dash


@dataclass(frozen=True)
class HeadValue:
    """`value` is None where nothing could be measured."""

    layer: int
    head: int
    value: float | None
    hint: str


def heads(found: Sequence[HeadValue], label: str) -> Picture:
    """The last layer on top; the fuller a cell's colour, the larger its magnitude."""
    return pictured(lambda width: _field(found, width), label)


def _field(found: Sequence[HeadValue], width: int) -> alt.LayerChart:
    most = max((abs(one.value) for one in found if one.value is not None), default=0.0) or 1.0
    columns, rows = (max(getattr(one, of) for one in found) + 1 for of in ("head", "layer"))
    inner = width - 48
    cell = min(inner / columns, 30.0)
    height = max(min(cell, 24.0 if width == WIDE else 16.0), 10.0)
    values = [_cell(one, most) for one in found]
    measured = [value for value in values if value["share"] is not None]
    base = {
        "x": alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False, domain=False)),
        "y": alt.Y("layer:O", title="layer", sort="descending", axis=alt.Axis(ticks=False, domain=False)),
    }
    return alt.layer(
        _squares(measured).encode(**base),
        _points([one for one in measured if one["share"] <= -DASHED], "M-1,0L1,0", INK, cell).encode(**base),
        _points([one for one in values if one["share"] is None], "M-1,-1L1,1M-1,1L1,-1", MUTED, cell)
        .encode(**base)
        .encode(description="hint:N"),
    ).properties(width=cell * columns, height=height * rows)


def _cell(one: HeadValue, most: float) -> dict[str, Any]:
    share = None if one.value is None else one.value / most
    return {
        "layer": one.layer,
        "head": one.head,
        "hint": one.hint,
        "share": share,
        "colour": "second" if (share or 0) < 0 else "first",
        "fullness": round(max(FAINTEST, abs(share or 0)), 2),
    }


def _squares(values: list[dict[str, Any]]) -> alt.Chart:
    scale = alt.Scale(domain=["first", "second"], range=["var(--first)", "var(--second)"])
    return (
        alt.Chart(data(values))
        .mark_rect(stroke="var(--paper)", strokeWidth=1)
        .encode(
            color=alt.Color("colour:N", scale=scale, legend=None),
            fillOpacity=alt.FillOpacity("fullness:Q", scale=None),
            description="hint:N",
        )
    )


def _points(values: list[dict[str, Any]], shape: str, colour: str, cell: float) -> alt.Chart:
    size = max(min(cell / 3, 6.0), 3.0) ** 2
    return alt.Chart(data(values)).mark_point(
        shape=shape, size=size, stroke=colour, strokeWidth=1.2, filled=False, opacity=1
    )
