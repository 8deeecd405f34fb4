"""How every chart looks. Colours are the page's custom properties, so that a chart follows its theme."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from app.pages.charts.svg import inline

INK, MUTED, RULE, WASH = "var(--ink)", "var(--muted)", "var(--rule)", "var(--wash)"
WIDE, NARROW = 880, 350  # pixels: the text column on a desk, and on a phone of 390
SMALLEST_ROW = 19  # pixels of a row whose name can be read
OUTCOME_COLOURS = MappingProxyType(
    {
        "confirmed": "var(--confirmed)",
        "refuted": "var(--refuted)",
        "inconclusive": "var(--inconclusive)",
        "void": "var(--void)",
    }
)
CONFIG: dict[str, Any] = {
    "background": "transparent",
    "padding": 2,
    "font": "Liberation Sans, Arial, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "gridColor": RULE,
        "domainColor": RULE,
        "tickColor": RULE,
        "tickCount": 6,
        "titlePadding": 8,
    },
    "title": {"color": INK},
    "header": {"labelColor": INK, "labelFontSize": 12, "labelFontWeight": "bold", "title": None},
    "text": {"color": INK, "fontSize": 12},
}


@dataclass(frozen=True)
class Picture:
    """One chart in the two widths that a page needs; its stylesheet shows one of them."""

    wide: Markup
    narrow: Markup


def pictured(chart: Callable[[int], alt.TopLevelMixin], label: str) -> Picture:
    """The chart that `chart` makes for a width in pixels; `label` is its text alternative."""
    return Picture(
        wide=drawn(chart(WIDE), label=label, css_class="chart wide"),
        narrow=drawn(chart(NARROW), label=label, css_class="chart narrow"),
    )


def data(values: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=values)


def drawn(chart: alt.TopLevelMixin, *, label: str, css_class: str) -> Markup:
    """The chart as inline SVG. Nothing is fetched: the data are inside, and no address is allowed."""
    spec = chart.to_dict()
    return inline(
        vl_convert.vegalite_to_svg(spec, config=CONFIG, allowed_base_urls=[]), label=label, css_class=css_class
    )
