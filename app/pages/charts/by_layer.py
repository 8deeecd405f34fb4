"""One number of every attention layer and MLP, layer by layer, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from app.pages.charts.theme import MUTED, WIDE, Picture, data, pictured

HEIGHT = 150  # of a panel


@dataclass(frozen=True)
class LayerValue:
    """`value` is None where nothing could be measured: a cross stands there instead of a bar of no height."""

    panel: str
    layer: int
    value: float | None
    lo: float | None
    hi: float | None
    hint: str


def by_layer(found: Sequence[LayerValue], title: str, label: str) -> Picture:
    """A panel for each `panel`, in the order given, all on one scale; `title` names the quantity and its unit."""
    return pictured(lambda width: _panels(found, title, width), label)


def _panels(found: Sequence[LayerValue], title: str, width: int) -> alt.VConcatChart:
    held = [end for one in found for end in (one.value, one.lo, one.hi) if end is not None] + [0.0]
    scale = alt.Scale(domain=[min(held), max(held)], nice=True)
    layers = sorted({one.layer for one in found})
    parts = [[one for one in found if one.panel == panel] for panel in dict.fromkeys(one.panel for one in found)]
    inner = width - (70 if width == WIDE else 62)
    charts = [
        _panel(part, layers, scale, alt.Title(part[0].panel, anchor="start", fontSize=12, fontWeight="normal"))
        for part in parts
    ]
    return alt.vconcat(
        *[chart.encode(y=alt.Y(title=title)).properties(width=inner, height=HEIGHT) for chart in charts], spacing=14
    )


def _panel(part: Sequence[LayerValue], layers: list[int], scale: alt.Scale, title: alt.Title) -> alt.LayerChart:
    values = [{**vars(one), "colour": "second" if (one.value or 0) < 0 else "first"} for one in part]
    bars = [one for one in values if one["value"] is not None]
    x = alt.X("layer:O", title="layer", scale=alt.Scale(domain=layers, paddingInner=0.35), axis=_labels())
    colour = alt.Color(
        "colour:N",
        scale=alt.Scale(domain=["first", "second"], range=["var(--first)", "var(--second)"]),
        legend=None,
    )
    y = alt.Y("value:Q", scale=scale, axis=alt.Axis(tickCount=4))
    spans = alt.Chart(data([one for one in bars if one["lo"] is not None]))
    crosses = alt.Chart(data([{**one, "value": 0.0} for one in values if one["value"] is None]))
    return alt.layer(
        alt.Chart(data([{"zero": 0}])).mark_rule(color=MUTED, aria=False).encode(y=alt.Y("zero:Q", scale=scale)),
        alt.Chart(data(bars)).mark_bar(opacity=0.65).encode(x=x, y=y, color=colour, description="hint:N"),
        spans.mark_rule(strokeWidth=1.5, aria=False).encode(x=x, y=alt.Y("lo:Q"), y2="hi:Q", color=colour),
        crosses.mark_point(shape="M-1,-1L1,1M-1,1L1,-1", size=40, stroke=MUTED, strokeWidth=1.5, filled=False).encode(
            x=x, y=y, description="hint:N"
        ),
        title=title,
    )


def _labels() -> alt.Axis:
    return alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)
