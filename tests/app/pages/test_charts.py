from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from app.pages.charts.by_layer import LayerValue, by_layer
from app.pages.charts.flip import Flip, flip
from app.pages.charts.forest import ForestRow, forest
from app.pages.charts.heads import HeadValue, heads
from app.pages.charts.intervals import Measured, Scale, intervals
from app.pages.charts.lens import Curve, curve, curves
from app.pages.charts.recovery import Recovery, recovery
from app.pages.charts.scatter import Point, scatter
from app.pages.charts.svg import ATTRIBUTES, ELEMENTS, NAMESPACE, UnexpectedDrawingError, inline
from app.pages.charts.theme import OUTCOME_COLOURS, Picture

ROWS = (
    ForestRow("H1", "H1 · gap > 0", "\u22120.08 · refuted", "", "refuted", -0.08, -0.12, -0.04, ((0.0, None),)),
    ForestRow("H2", "H2 · rho within [0.1, 0.3]", "0.2 · confirmed", "", "confirmed", 0.2, 0.15, 0.25, ((0.1, 0.3),)),
    ForestRow("H3", "H3 · layer outside [1, 3]", "void", "layers", "void", None, None, None, ((None, 1), (3, None))),
)

MEASURED = [
    Measured("safety", -0.2, -0.4, 0.1, "safety", second=True),
    Measured("verbosity", 0.3, None, None, "verbosity"),
]


def svg(*inside: str, attributes: str = "") -> str:
    return f'<svg xmlns="{NAMESPACE}" width="10" height="10" viewBox="0 0 10 10" {attributes}>{"".join(inside)}</svg>'


def pictures() -> list[Picture]:
    found = [Recovery("0", key, 1.0, 0.7) for key in ("constructed", "twin")]
    points = [Point("safety", "mlp_L0", 0.1, 0.2), Point("safety", "attn_L0", 0.3, 0.1)]
    bars = [LayerValue("MLP", 0, 0.2, 0.1, 0.3, "mlp_L0"), LayerValue("MLP", 1, None, None, None, "mlp_L1: none")]
    field = [HeadValue(0, 0, 0.2, "a"), HeadValue(0, 1, -0.2, "b"), HeadValue(1, 0, None, "c: none")]
    margins = Curve("safety", [0.1, 0.6, 1.0], [None, 0.5, 0.8], [None, 0.7, 1.2], 0, 0, 1)
    return [
        forest(ROWS, "all figures"),
        recovery(found, "all figures"),
        scatter(points, "all figures", diagonal=True),
        intervals(MEASURED, Scale("rho"), "all figures"),
        by_layer(bars, "reward", "all figures"),
        heads(field, "all figures"),
        curve(margins, "all figures"),
        curves([margins, margins], "all figures"),
        flip([Flip("mlp_L0", 1, 2), Flip("attn_L0", 2, 1)], 2, "all figures"),
        flip([Flip("mlp_L0", 1, 40), Flip("attn_L0", 40, 1)], 64, "all figures"),
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


def marks(drawn: str, hint: str) -> list[dict[str, str]]:
    """The attributes of every mark with this hint."""
    return [
        element.attrib
        for element in ET.fromstring(drawn).iter()
        if (title := element.find(f"{{{NAMESPACE}}}title")) is not None and title.text == hint
    ]


def test_a_value_without_an_interval_is_hollow():
    drawn = str(intervals(MEASURED, Scale("rho"), "x").wide)
    (solid,), (hollow,) = marks(drawn, "safety"), marks(drawn, "verbosity")
    assert solid["fill"] == "var(--second)"
    assert hollow.get("fill", "none") in {"none", "transparent"}
    assert hollow["stroke"] == "var(--first)"


def test_what_could_not_be_measured_has_no_bar_and_no_cell():
    bars = [LayerValue("MLP", 0, 0.2, 0.1, 0.3, "zero"), LayerValue("MLP", 1, None, None, None, "none")]
    (bar,), (cross,) = (marks(str(by_layer(bars, "reward", "x").wide), hint) for hint in ("zero", "none"))
    assert bar["fill"] == "var(--first)"
    assert "fill" not in cross or cross["fill"] in {"none", "transparent"}
    (cell,), (cross,) = (
        marks(str(heads([HeadValue(0, 0, 0.2, "zero"), HeadValue(1, 0, None, "none")], "x").wide), hint)
        for hint in ("zero", "none")
    )
    assert cell["fill"] == "var(--first)"
    assert cross["stroke"] == "var(--muted)"


def test_the_larger_a_heads_magnitude_the_fuller_its_cell():
    field = [HeadValue(0, head, value, f"h{head}") for head, value in enumerate((0.1, -0.2, 0.4))]
    drawn = str(heads(field, "x").wide)
    fullness = [float(marks(drawn, f"h{head}")[0].get("fill-opacity", 1)) for head in range(3)]
    assert fullness == pytest.approx([0.25, 0.5, 1.0])
    assert marks(drawn, "h1")[0]["fill"] == "var(--second)"


def test_lines_rise_where_patching_ranks_a_component_higher():
    drawn = str(flip([Flip("up", 2, 1), Flip("down", 1, 2)], 2, "x").wide)
    (up,), (down,) = (marks(drawn, f"{name}") for name in (
        "up: 2 by attribution, 1 by patching", "down: 1 by attribution, 2 by patching",
    ))  # fmt: skip
    assert (up["stroke"], down["stroke"]) == ("var(--first)", "var(--second)")


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
