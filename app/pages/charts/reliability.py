"""Stated probabilities against what came of them: the nearer to the diagonal, the better they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from app.pages.charts.theme import MUTED, Picture, data, pictured

WIDEST = 460  # pixels: a square, in which both axes are of one length


@dataclass(frozen=True)
class Reliability:
    """One bin: the mean probability stated in it, the share that was confirmed, and the interval of that share."""

    stated: float
    share: float
    lo: float
    hi: float
    hint: str


def reliability(found: Sequence[Reliability], label: str) -> Picture:
    """One mark a bin, with its interval."""
    return pictured(lambda width: _square(found, min(width, WIDEST) - 60), label)


def _square(found: Sequence[Reliability], side: int) -> alt.LayerChart:
    values = [vars(one) for one in found]
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format="~g", tickCount=5)
    x = alt.X("stated:Q", title="stated probability", scale=scale, axis=axis)
    y = alt.Y("share:Q", title="share confirmed", scale=scale, axis=axis)
    ends = alt.Chart(data([{"stated": end, "share": end} for end in (0, 1)]))
    diagonal = ends.mark_line(color=MUTED, strokeDash=[3, 3], strokeWidth=1, aria=False).encode(x=x, y=y)
    bins = alt.Chart(data(values))
    spans = bins.mark_rule(strokeWidth=2, color="var(--first)", aria=False).encode(x=x, y=alt.Y("lo:Q"), y2="hi:Q")
    marks = bins.mark_point(filled=True, size=70, opacity=1, color="var(--first)")
    return alt.layer(diagonal, spans, marks.encode(x=x, y=y, description="hint:N")).properties(width=side, height=side)
