"""The rank flip: a line for each component from its rank by attribution to its rank by patching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from app.pages.charts.theme import INK, MUTED, WIDE, Picture, data, pictured

LABELLED = 5  # first components of either ranking that have their names beside the line
LINEAR = 24  # ranks up to which all are drawn equally far apart, and all are named


@dataclass(frozen=True)
class Flip:
    """A component's rank by each method among all that were ranked, 1 the first; ties share their mean rank."""

    component: str
    attribution: float
    patching: float

    @property
    def turn(self) -> str:
        """Whether patching ranks it higher than attribution does (rises), lower (falls), or the same (level)."""
        if self.attribution == self.patching:
            return "level"
        return "rises" if self.patching < self.attribution else "falls"


def flip(found: Sequence[Flip], ranked: int, label: str) -> Picture:
    """`found` may be fewer than the `ranked` components; beyond 24 the first ranks are drawn further apart."""
    return pictured(lambda width: _lines(found, ranked, width), label)


def _lines(found: Sequence[Flip], ranked: int, width: int) -> alt.LayerChart:
    beside = 150 if width == WIDE else 108
    left, right = beside, min(width, 620) - beside
    scale = alt.Scale(
        type="linear" if ranked <= LINEAR else "log", domain=[1, max(ranked, 2)], reverse=True, nice=False
    )
    values = [
        {
            **vars(one),
            "turn": one.turn,
            "first": min(one.attribution, one.patching) <= LABELLED,
            "hint": f"{one.component}: {one.attribution:g} by attribution, {one.patching:g} by patching",
        }
        for one in found
    ]
    y = alt.Y("attribution:Q", axis=None, scale=scale)
    lines = (
        alt.Chart(data(values))
        .mark_rule()
        .encode(
            x=alt.value(left),
            x2=alt.value(right),
            y=y,
            y2="patching:Q",
            color=_colour(),
            strokeWidth=alt.StrokeWidth("first:N", scale=alt.Scale(domain=[True, False], range=[2, 1]), legend=None),
            opacity=alt.Opacity("first:N", scale=alt.Scale(domain=[True, False], range=[1, 0.55]), legend=None),
            description="hint:N",
        )
    )
    height = max(18 * ranked, 60) if ranked <= LINEAR else 430
    most = ranked if ranked <= LINEAR else LABELLED
    ends = {"attribution": left - 8, "patching": right + 8}
    names = [_names([one for one in values if one[by] <= most], by, scale, at) for by, at in ends.items()]
    heads = [_head("by attribution", left, "right"), _head("by patching", right, "left")]
    return alt.layer(lines, *names, *heads).properties(width=min(width, 620), height=height)


def _colour() -> alt.Color:
    scale = alt.Scale(domain=["rises", "falls", "level"], range=["var(--first)", "var(--second)", MUTED])
    return alt.Color("turn:N", scale=scale, legend=None)


def _names(kept: list[dict[str, Any]], by: str, scale: alt.Scale, at: int) -> alt.Chart:
    """Beside the ends of the lines, with their ranks: attribution's at their left, patching's at their right."""
    align = "right" if by == "attribution" else "left"
    told = [{**value, "said": _said(value, by, align)} for value in kept]
    mark = alt.Chart(data(told)).mark_text(align=align, baseline="middle", color=INK, fontSize=11, aria=False)
    return mark.encode(x=alt.value(at), y=alt.Y(f"{by}:Q", axis=None, scale=scale), text="said:N")


def _said(value: dict[str, Any], by: str, align: str) -> str:
    rank = f"{value[by]:g}"
    return f"{value['component']}  {rank}" if align == "right" else f"{rank}  {value['component']}"


def _head(text: str, at: int, align: str) -> alt.Chart:
    """Over a column of names."""
    mark = alt.Chart(data([{"said": text}])).mark_text(align=align, color=MUTED, fontSize=12, aria=False)
    return mark.encode(x=alt.value(at), y=alt.value(-20), text="said:N")
