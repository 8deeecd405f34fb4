"""The running margin: what the readout would make of the residual stream after every layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from app.pages.charts.theme import INK, MUTED, WASH, WIDE, Picture, data, pictured

HEIGHT = 280


@dataclass(frozen=True)
class Curve:
    """`mean` (L + 1) of the margins after the embedding and after each layer; `lo` and `hi` None where its
    error is not known.

    `crossing` is the first layer, -1 for the embedding, with at least half of the final mean margin, in its sign;
    `first` and `last` bound it where that is known.
    """

    name: str
    mean: Sequence[float]
    lo: Sequence[float | None]
    hi: Sequence[float | None]
    crossing: int | None
    first: int | None = None
    last: int | None = None


def curve(found: Curve, label: str) -> Picture:
    """One curve, large."""
    return pictured(
        lambda width: _panel(found, few=False).properties(width=width - 62, height=HEIGHT),
        label,
    )


def curves(found: Sequence[Curve], label: str) -> Picture:
    """Many, small, each on a scale of its own."""
    return pictured(lambda width: _panels(found, width), label)


def _panels(found: Sequence[Curve], width: int) -> alt.ConcatChart:
    columns = 4 if width == WIDE else 2
    inner = width // columns - 46
    panels = [
        _panel(one, few=True).properties(
            width=inner,
            height=round(inner * 0.8),
            title=alt.Title(one.name, anchor="start", frame="group", fontSize=11, fontWeight="normal"),
        )
        for one in found
    ]
    return alt.concat(*panels, columns=columns, spacing={"row": 58, "column": 46}, bounds="flush")


def _panel(found: Curve, *, few: bool) -> alt.LayerChart:
    layers = range(-1, len(found.mean) - 1)
    axis = alt.Axis(tickCount=4 if few else 12, tickMinStep=1, format="d", grid=False)
    x = alt.X(
        "layer:Q",
        title=None if few else "layer (\u22121: the embedding)",
        axis=axis,
        scale=alt.Scale(domain=[-1.2, len(found.mean) - 1.8], nice=False),
    )
    title = None if few else "mean margin, in reward"
    y = alt.Y("mean:Q", title=title, axis=alt.Axis(tickCount=4 if few else 6, format="~g", labelBound=few))
    points = [
        {"layer": layer, "mean": mean, "hint": f"after layer {layer}: {mean:.4g}"}
        for layer, mean in zip(layers, found.mean, strict=True)
    ]
    base = alt.Chart(data(points)).encode(x=x, y=y)
    return alt.layer(
        *_where(found, x),
        *_band(found, x, y),
        _rule(0.0, y, dash=False),
        _rule(found.mean[-1] / 2, y, dash=True),
        base.mark_line(color="var(--first)", strokeWidth=2, aria=False),
        base.mark_point(filled=True, color="var(--first)", size=14 if few else 36, opacity=1).encode(
            description="hint:N"
        ),
        *_crossing(found, x, y, few=few),
    )


def _band(found: Curve, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    values = [
        {"layer": layer, "mean": lo, "to": hi}
        for layer, (lo, hi) in enumerate(zip(found.lo, found.hi, strict=True), -1)
        if lo is not None
    ]
    return [
        alt.Chart(data(values)).mark_area(color="var(--first)", opacity=0.18, aria=False).encode(x=x, y=y, y2="to:Q")
    ]


def _where(found: Curve, x: alt.X) -> list[alt.Chart]:
    """The layers between which the crossing surely is."""
    if found.first is None or found.last is None or found.first == found.last:
        return []
    values = [{"layer": found.first, "to": found.last}]
    return [alt.Chart(data(values)).mark_rect(fill=WASH, aria=False).encode(x=x, x2="to:Q")]


def _crossing(found: Curve, x: alt.X, y: alt.Y, *, few: bool) -> list[alt.Chart]:
    if found.crossing is None:
        return []
    value = {"layer": found.crossing, "mean": found.mean[found.crossing + 1], "hint": f"half at {found.crossing}"}
    base = alt.Chart(data([value]))
    return [
        base.mark_rule(color=INK, strokeWidth=1, strokeDash=[1, 3], aria=False).encode(x=x),
        base.mark_point(shape="diamond", filled=True, size=70 if few else 150, color="var(--second)", opacity=1).encode(
            x=x, y=y, description="hint:N"
        ),
    ]


def _rule(at: float, y: alt.Y, *, dash: bool) -> alt.Chart:
    drawn = alt.Chart(data([{"mean": at}])).mark_rule(color=MUTED, strokeDash=[5, 4] if dash else [1, 0], aria=False)
    return drawn.encode(y=y)
