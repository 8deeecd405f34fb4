from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from app.pages.charts.agreement import ComponentMeans, Rho, rhos, scatter
from app.pages.charts.forest import ForestRow, forest
from app.pages.charts.recovery import Recovery, recovery
from app.pages.charts.svg import ATTRIBUTES, ELEMENTS, NAMESPACE, UnexpectedDrawingError, inline
from app.pages.charts.theme import OUTCOME_COLOURS, Picture

ROWS = (
    ForestRow("H1", "H1 · gap > 0", "\u22120.08 · refuted", "", "refuted", -0.08, -0.12, -0.04, ((0.0, None),)),
    ForestRow("H2", "H2 · rho within [0.1, 0.3]", "0.2 · confirmed", "", "confirmed", 0.2, 0.15, 0.25, ((0.1, 0.3),)),
    ForestRow("H3", "H3 · layer outside [1, 3]", "void", "layers", "void", None, None, None, ((None, 1), (3, None))),
)


def svg(*inside: str, attributes: str = "") -> str:
    return f'<svg xmlns="{NAMESPACE}" width="10" height="10" viewBox="0 0 10 10" {attributes}>{"".join(inside)}</svg>'


def pictures() -> list[Picture]:
    found = [Recovery("0", key, 1.0, 0.7) for key in ("constructed", "twin")]
    means = [ComponentMeans("safety", "mlp_L0", 0.1, 0.2), ComponentMeans("safety", "attn_L0", 0.3, 0.1)]
    return [
        forest(ROWS, "all figures"),
        recovery(found, "all figures"),
        scatter(means, "all figures"),
        rhos([Rho("safety", -0.2, -0.4, 0.1), Rho("mean", -0.2, None, None)], "all figures"),
    ]


@pytest.mark.parametrize("drawn", [one for picture in pictures() for one in (picture.wide, picture.narrow)])
def test_charts_hold_nothing_a_strict_policy_would_stop(drawn):
    root = ET.fromstring(str(drawn))
    assert root.get("role") == "img"
    assert root.get("aria-label") == "all figures"
    for element in root.iter():
        name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
        assert name in ELEMENTS | {"title"}
        extra = {"role", "aria-label", "class"} if element is root else set()
        assert set(element.keys()) <= ATTRIBUTES | extra
        assert not any("url(" in value or "http" in value.replace(NAMESPACE, "") for value in element.attrib.values())


@pytest.mark.parametrize("drawn", [one for picture in pictures() for one in (picture.wide, picture.narrow)])
def test_charts_take_every_colour_from_the_page(drawn):
    root = ET.fromstring(str(drawn))
    colours = {element.get(which) for element in root.iter() for which in ("fill", "stroke")} - {None, "none"}
    assert colours
    assert all(colour.startswith("var(--") for colour in colours), colours


def test_the_forest_plot_shows_each_hypothesis_and_what_became_of_it():
    drawn = str(forest(ROWS, "x").wide)
    said = [text.text for text in ET.fromstring(drawn).iter(f"{{{NAMESPACE}}}text")]
    for row in ROWS:
        assert row.heading in said
        assert row.figures in said
    assert OUTCOME_COLOURS["refuted"] in drawn
    assert OUTCOME_COLOURS["confirmed"] in drawn
    assert OUTCOME_COLOURS["inconclusive"] not in drawn


def test_a_longer_interval_is_drawn_longer():
    def length(hi: float) -> float:
        rows = (ForestRow("H1", "h", "f", "", "refuted", 0.1, 0.0, hi, ((-1.0, 3.0),)),)
        lines = ET.fromstring(str(forest(rows, "x").wide)).iter(f"{{{NAMESPACE}}}line")
        return max(float(line.get("x2")) for line in lines if line.get("stroke") == OUTCOME_COLOURS["refuted"])

    assert length(2.0) == pytest.approx(2 * length(1.0), rel=0.01)


@pytest.mark.parametrize(
    "inside", ["<script>alert(1)</script>", "<foreignObject/>", '<image href="http://x/"/>', "<style>*{}</style>"]
)
def test_what_a_chart_never_needs_is_refused(inside: str):
    with pytest.raises(UnexpectedDrawingError):
        inline(svg(inside), label="x", css_class="chart")


def test_attributes_that_act_or_refer_are_dropped():
    drawn = inline(
        svg('<rect width="1" height="1" style="x:y" onclick="a()" id="a" fill="url(#b)" class="c"/>'),
        label="<i>",
        css_class="chart",
    )
    rect = ET.fromstring(str(drawn))[0]
    assert rect.attrib == {"width": "1", "height": "1"}
    assert "<i>" not in drawn


def test_a_mark_keeps_its_description_as_a_hint():
    drawn = inline(
        svg('<path d="M0,0h1" role="graphics-symbol" aria-label="organism 3"/>'), label="x", css_class="chart"
    )
    assert "<title>organism 3</title>" in drawn
