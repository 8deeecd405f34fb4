"""Attribution against patching: the two measures of every component, and their rank correlation by dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from app.pages.charts.theme import INK, MUTED, WIDE, Picture, data, pictured

ROW_HEIGHT = 26


@dataclass(frozen=True)
class ComponentMeans:
    """A component's mean attribution and mean patch effect in one dimension, in reward units, as they were ranked."""

    dimension: str
    component: str
    attribution: float
    effect: float


@dataclass(frozen=True)
class Rho:
    """Spearman's rho of one dimension, or of their mean, with its interval where there is one."""

    name: str
    value: float
    lo: float | None
    hi: float | None


def scatter(means: Sequence[ComponentMeans], label: str) -> Picture:
    """One panel a dimension, each with scales of its own: only the order within a panel is compared."""
    return pictured(lambda width: _panels(means, width), label)


def rhos(found: Sequence[Rho], label: str) -> Picture:
    """One row a dimension, from the most negative up, zero marked."""
    return pictured(lambda width: _rows(found, width), label)


def _panels(means: Sequence[ComponentMeans], width: int) -> alt.FacetChart:
    columns = 4 if width == WIDE else 2
    gap = 46  # room for a panel's axis labels
    inner = width // columns - gap
    values = [{**vars(one), "hint": f"{one.component}: {one.attribution:.4g}, {one.effect:.4g}"} for one in means]
    few = alt.Axis(tickCount=3, format="~g", grid=False)
    points = (
        alt.Chart(data(values))
        .mark_point(filled=True, size=26, opacity=0.75, color="var(--first)")
        .encode(
            x=alt.X("attribution:Q", axis=few, title=None, scale=alt.Scale(nice=3, zero=False)),
            y=alt.Y("effect:Q", axis=few, title=None, scale=alt.Scale(nice=3, zero=False)),
            description="hint:N",
        )
        .properties(width=inner, height=round(inner * 0.8))
    )
    facet = alt.Facet("dimension:N", header=alt.Header(labelFontSize=11, labelFontWeight="normal"))
    return points.facet(facet=facet, columns=columns, spacing={"row": 58, "column": gap}, bounds="flush").resolve_scale(
        x="independent", y="independent"
    )


def _rows(found: Sequence[Rho], width: int) -> alt.LayerChart:
    ordered = sorted(found, key=lambda one: one.value)
    values = [
        {**vars(one), "side": "below" if one.value < 0 else "above", "hint": f"{one.name}: {one.value:.3f}"}
        for one in ordered
    ]
    axis = alt.Axis(title=None, labelColor=INK, labelLimit=170, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("name:N", sort=[one.name for one in ordered], axis=axis)
    x = alt.X("value:Q", title="Spearman rho", scale=alt.Scale(domain=[-1, 1]))
    colour = alt.Color(
        "side:N", scale=alt.Scale(domain=["below", "above"], range=["var(--second)", "var(--first)"]), legend=None
    )
    zero = alt.Chart(data([{"zero": 0}])).mark_rule(color=MUTED, aria=False).encode(x="zero:Q")
    spans = alt.Chart(data([value for value in values if value["lo"] is not None]))
    return alt.layer(
        zero,
        spans.mark_rule(strokeWidth=2, aria=False).encode(x=alt.X("lo:Q"), x2="hi:Q", y=y, color=colour),
        alt.Chart(data(values))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x=x, y=y, color=colour, description="hint:N"),
    ).properties(width=width - 190, height=ROW_HEIGHT * len(ordered))
