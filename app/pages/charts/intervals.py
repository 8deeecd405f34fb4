"""Values with their intervals, one row each, against a value that they are read beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from app.pages.charts.theme import INK, MUTED, SMALLEST_ROW, WIDE, Picture, data, pictured

ROW_HEIGHT = 26
MOST_NAMES, A_LETTER = 190, 7  # pixels for the names of the rows, and for one letter of them


@dataclass(frozen=True)
class Measured:
    """`lo` and `hi` are None where the value has no interval: its mark is then hollow.

    Rows of the same name lie in one line, `second` below and in the second colour, as a diamond.
    """

    name: str
    value: float
    lo: float | None
    hi: float | None
    hint: str
    second: bool = False


@dataclass(frozen=True)
class Scale:
    """`beside` is the value that is marked; `low` and `high` bound what the axis must show."""

    title: str
    beside: float = 0.0
    low: float | None = None
    high: float | None = None


def intervals(found: Sequence[Measured], scale: Scale, label: str, *, tall: bool = True) -> Picture:
    """One row a name in the order given, or two halves of one; not `tall`: rows as low as names can be read."""
    return pictured(lambda width: _rows(found, scale, width, ROW_HEIGHT if tall else SMALLEST_ROW), label)


def _rows(found: Sequence[Measured], scale: Scale, width: int, height: int) -> alt.LayerChart:
    names = list(dict.fromkeys(one.name for one in found))
    beside = min(MOST_NAMES, 20 + A_LETTER * max(map(len, names)))
    paired = len(names) < len(found)
    low, high = _domain(found, scale)
    values = [
        {**vars(one), "colour": "second" if one.second else "first", "filled": one.lo is not None} for one in found
    ]
    axis = alt.Axis(title=None, labelColor=INK, labelLimit=beside - 20, ticks=False, domain=False, labelPadding=8)
    y = alt.Y("name:N", sort=names, axis=axis)
    ticks = alt.Axis(tickCount=6 if width == WIDE else 4, labelOverlap=True)
    x = alt.X("value:Q", title=scale.title, axis=ticks, scale=alt.Scale(domain=[low, high], nice=False))
    lane = {"yOffset": alt.YOffset("second:N", sort=[False, True])} if paired else {}
    spans = alt.Chart(data([value for value in values if value["lo"] is not None]))
    zero = alt.Chart(data([{"beside": scale.beside}])).mark_rule(color=MUTED, aria=False).encode(x="beside:Q")
    marks = [_points(values, filled=filled).encode(x=x, y=y, **lane) for filled in (True, False)]
    return alt.layer(
        zero,
        spans.mark_rule(strokeWidth=2, aria=False).encode(x=alt.X("lo:Q"), x2="hi:Q", y=y, color=_colour(), **lane),
        *marks,
    ).properties(width=width - beside, height=height * len(names) * (1.3 if paired else 1))


def _points(values: list[dict[str, object]], *, filled: bool) -> alt.Chart:
    shape = alt.Shape("colour:N", scale=alt.Scale(domain=["first", "second"], range=["circle", "diamond"]), legend=None)
    kept = alt.Chart(data([value for value in values if value["filled"] == filled]))
    mark = kept.mark_point(filled=filled, size=70 if filled else 55, opacity=1)
    return mark.encode(color=_colour(), shape=shape, description="hint:N")


def _colour() -> alt.Color:
    scale = alt.Scale(domain=["first", "second"], range=["var(--first)", "var(--second)"])
    return alt.Color("colour:N", scale=scale, legend=None)


def _domain(found: Sequence[Measured], scale: Scale) -> tuple[float, float]:
    """Whatever is drawn and must be shown, with air beyond what is drawn."""
    held = [end for one in found for end in (one.value, one.lo, one.hi) if end is not None] + [scale.beside]
    asked = [end for end in (scale.low, scale.high) if end is not None]
    low, high = min(held), max(held)
    air = 0.04 * (high - low) or 0.05 * max(abs(high), 1.0)
    return min([low - air, *asked]), max([high + air, *asked])
