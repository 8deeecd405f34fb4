"""The forest plot: every hypothesis of a claim, its interval against its threshold, on one picture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from types import MappingProxyType

import altair as alt

from app.pages.charts.theme import INK, OUTCOME_COLOURS, WASH, WIDE, Picture, data, pictured

ROW_HEIGHT = 58
SHAPES = MappingProxyType({"confirmed": "circle", "refuted": "diamond", "inconclusive": "square", "void": "cross"})


@dataclass(frozen=True)
class ForestRow:
    """One hypothesis. `estimate`, `lo` and `hi` are None where nothing was measured.

    `predicted` holds the stretches of the metric in which the prediction is true; None is an open end.
    `heading` and `figures` are the words over the interval; rows of one `unit` share an axis.
    """

    id: str
    heading: str
    figures: str
    unit: str
    outcome: str
    estimate: float | None
    lo: float | None
    hi: float | None
    predicted: tuple[tuple[float | None, float | None], ...]

    @property
    def thresholds(self) -> tuple[float, ...]:
        return tuple(end for stretch in self.predicted for end in stretch if end is not None)


@lru_cache(maxsize=512)
def forest(rows: tuple[ForestRow, ...], label: str) -> Picture:
    """The picture of `rows`, top to bottom; `label` is its text alternative."""
    return pictured(lambda width: _chart(rows, width), label)


def _chart(rows: tuple[ForestRow, ...], width: int) -> alt.VConcatChart:
    ordered = sorted(rows, key=lambda row: [row.unit for row in rows].index(row.unit))
    panels = [_panel(list(group), width) for _, group in groupby(ordered, key=lambda row: row.unit)]
    return alt.vconcat(*panels, spacing=18)


def _panel(rows: list[ForestRow], width: int) -> alt.LayerChart:
    low, high = _domain(rows)
    x = alt.X("at:Q", scale=alt.Scale(domain=[low, high], nice=False, zero=False), title=rows[0].unit or None)
    y = alt.Y("id:N", sort=[row.id for row in rows], axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    layers = [
        _regions(rows, low, high).encode(x=x, x2="to:Q", y=y),
        _thresholds(rows).encode(x=x, y=y),
        _intervals(rows).encode(x=x, x2="to:Q", y=y, color=_colours()),
        _ends(rows).encode(x=x, y=y, color=_colours()),
        _points(rows).encode(x=x, y=y, color=_colours(), shape=_shapes()),
        _words(rows, "heading", "left", 0).encode(y=y),
    ]
    if width == WIDE:  # a phone has room for the heading alone; the table has the figures
        layers.append(_words(rows, "figures", "right", width - 10).encode(y=y))
    return alt.layer(*layers).properties(width=width - 10, height=ROW_HEIGHT * len(rows))


def _regions(rows: list[ForestRow], low: float, high: float) -> alt.Chart:
    values = [
        {"id": row.id, "at": low if start is None else start, "to": high if end is None else end}
        for row in rows
        for start, end in row.predicted
    ]
    return alt.Chart(data(values)).mark_rect(fill=WASH, height=22, yOffset=12, aria=False)


def _thresholds(rows: list[ForestRow]) -> alt.Chart:
    values = [{"id": row.id, "at": threshold} for row in rows for threshold in row.thresholds]
    return alt.Chart(data(values)).mark_tick(
        orient="vertical", color=INK, thickness=1.5, size=22, yOffset=12, description="threshold", aria=False
    )


def _intervals(rows: list[ForestRow]) -> alt.Chart:
    values = [{"id": row.id, "at": row.lo, "to": row.hi, "outcome": row.outcome} for row in _measured(rows)]
    return alt.Chart(data(values)).mark_rule(strokeWidth=2.5, yOffset=12, aria=False)


def _ends(rows: list[ForestRow]) -> alt.Chart:
    values = [{"id": row.id, "at": end, "outcome": row.outcome} for row in _measured(rows) for end in (row.lo, row.hi)]
    return alt.Chart(data(values)).mark_tick(orient="vertical", thickness=2.5, size=10, yOffset=12, aria=False)


def _points(rows: list[ForestRow]) -> alt.Chart:
    values = [
        {"id": row.id, "at": row.estimate, "outcome": row.outcome, "hint": f"{row.heading}: {row.figures}"}
        for row in _measured(rows)
    ]
    mark = alt.Chart(data(values)).mark_point(filled=True, size=90, yOffset=12, opacity=1)
    return mark.encode(description="hint:N")


def _words(rows: list[ForestRow], field: str, align: str, at: int) -> alt.Chart:
    values = [{"id": row.id, field: getattr(row, field)} for row in rows]
    mark = alt.Chart(data(values)).mark_text(align=align, dy=-12, baseline="middle", aria=False, fontSize=13)
    return mark.encode(text=f"{field}:N", x=alt.value(at))


def _measured(rows: list[ForestRow]) -> list[ForestRow]:
    return [row for row in rows if row.lo is not None]


def _colours() -> alt.Color:
    domain, colours = list(OUTCOME_COLOURS), list(OUTCOME_COLOURS.values())
    return alt.Color("outcome:N", scale=alt.Scale(domain=domain, range=colours), legend=None)


def _shapes() -> alt.Shape:
    return alt.Shape("outcome:N", scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())), legend=None)


def _domain(rows: list[ForestRow]) -> tuple[float, float]:
    """The stretch that holds every interval and every threshold, with air on both sides."""
    held = [value for row in rows for value in (row.lo, row.hi, *row.thresholds) if value is not None]
    low, high = min(held), max(held)
    air = 0.08 * (high - low) or max(abs(high), 1.0) * 0.1
    return low - air, high + air
