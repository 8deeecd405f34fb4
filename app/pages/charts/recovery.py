"""The planted key: how well each method's ranking recovered each answer key, organism by organism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import altair as alt

from app.pages.charts.theme import MUTED, WIDE, Picture, data, pictured

METHODS = ("attribution", "patching")
KEYS = MappingProxyType({"constructed": "constructed key", "twin": "twin-activation-delta key"})
COLOURS = MappingProxyType({"patching": "var(--first)", "attribution": "var(--second)", "neither": MUTED})
CHANCE = 0.5


@dataclass(frozen=True)
class Recovery:
    """One organism's AUROC of each method against one key of `KEYS`; 0.5 is chance."""

    organism: str
    key: str
    attribution: float
    patching: float

    @property
    def better(self) -> str:
        if self.attribution == self.patching:
            return "neither"
        return "patching" if self.patching > self.attribution else "attribution"


def recovery(found: Sequence[Recovery], label: str) -> Picture:
    """One line an organism, from attribution's AUROC to patching's; one panel a key."""
    return pictured(lambda width: _chart(found, width), label)


def _chart(found: Sequence[Recovery], width: int) -> alt.HConcatChart:
    gap = 60 if width == WIDE else 46
    inner = (width - 2 * gap) // 2
    return alt.hconcat(*[_panel(found, key, inner, axis=key == "constructed") for key in KEYS], spacing=gap // 2)


def _panel(found: Sequence[Recovery], key: str, width: int, *, axis: bool) -> alt.LayerChart:
    values = [
        {
            "organism": one.organism,
            "method": method,
            "auc": getattr(one, method),
            "better": one.better,
            "hint": f"organism {one.organism}: attribution {one.attribution:.3f}, patching {one.patching:.3f}",
        }
        for one in found
        if one.key == key
        for method in METHODS
    ]
    x = alt.X("method:N", sort=list(METHODS), title=None, axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.35))
    y = alt.Y("auc:Q", scale=alt.Scale(domain=[0, 1]), title="AUROC" if axis else None)
    colour = alt.Color("better:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())), legend=None)
    base = alt.Chart(data(values)).encode(x=x, y=y, color=colour, detail="organism:N")
    chance = alt.Chart(data([{"chance": CHANCE}])).mark_rule(color=MUTED, strokeDash=[3, 3], aria=False)
    return alt.layer(
        chance.encode(y="chance:Q"),
        base.mark_line(strokeWidth=1.5, opacity=0.75, aria=False),
        base.mark_point(filled=True, size=34, opacity=0.9).encode(description="hint:N"),
    ).properties(width=width, height=240, title=alt.Title(KEYS[key], anchor="start", fontSize=12, fontWeight="normal"))
