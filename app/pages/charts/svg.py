"""A drawing fit to stand inside a page: only known elements and attributes, no names of its own, no style attribute.

vl-convert writes presentation attributes, which a policy without inline styles lets through; what it says to assistive
technology about its own structure goes, because the figure as a whole has one text alternative and a table.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from markupsafe import Markup

NAMESPACE = "http://www.w3.org/2000/svg"
ELEMENTS = frozenset({"svg", "g", "path", "line", "rect", "circle", "text", "tspan"})
ATTRIBUTES = frozenset(
    {
        "cx", "cy", "d", "dx", "dy", "fill", "fill-opacity", "font-size", "font-style", "font-weight", "height",
        "opacity", "r", "rx", "ry", "stroke", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
        "stroke-miterlimit", "stroke-opacity", "stroke-width", "text-anchor", "transform", "viewBox", "width", "x",
        "x1", "x2", "y", "y1", "y2",
    }
)  # fmt: skip
_FRACTION = re.compile(r"(\.\d\d)\d+")  # no screen shows a hundredth of a pixel
_EMPTY_PATH = re.compile(r"^M0,0h0v0h0Z$|^$")


class UnexpectedDrawingError(ValueError):
    """The renderer wrote something that has no place in a page."""


def inline(drawn: str, *, label: str, css_class: str) -> Markup:
    """The SVG as markup for a page, with `label` as its text alternative. Raises UnexpectedDrawingError."""
    source = ET.fromstring(drawn)  # noqa: S314 - written by vl-convert in this process, not by a visitor
    cleaned = _clean(source)
    if cleaned is None:
        raise UnexpectedDrawingError("the renderer drew nothing")
    for size in ("width", "height"):
        cleaned.set(size, f"{float(source.get(size, '0')):g}")
    cleaned.set("xmlns", NAMESPACE)
    cleaned.set("class", css_class)
    cleaned.set("role", "img")
    cleaned.set("aria-label", label)
    return Markup(ET.tostring(cleaned, encoding="unicode"))  # noqa: S704 - built from the allow lists above


def _clean(element: ET.Element) -> ET.Element | None:
    name = element.tag.removeprefix(f"{{{NAMESPACE}}}")
    if name not in ELEMENTS:
        raise UnexpectedDrawingError(f"the renderer drew a <{name}>: add it to the elements allowed, or draw otherwise")
    if _is_nothing(element, name):
        return None
    kept = {
        key: _FRACTION.sub(r"\1", value)
        for key, value in element.attrib.items()
        if key in ATTRIBUTES and not _refers(value)
    }
    made = ET.Element(name, kept)
    made.text = element.text
    children = [child for child in map(_clean, element) if child is not None]
    made.extend(children)
    if name == "g" and not children:
        return None
    _describe(element, name, made)
    return made


def _describe(source: ET.Element, name: str, made: ET.Element) -> None:
    """What the renderer knows of one mark becomes the hint that a browser shows over it."""
    hint = source.get("aria-label")
    if hint and name in {"path", "line", "rect", "circle"} and source.get("role") == "graphics-symbol":
        title = ET.Element("title")
        title.text = hint
        made.insert(0, title)


def _is_nothing(element: ET.Element, name: str) -> bool:
    if element.get("display") == "none" or element.get("opacity") == "0":
        return True
    return name == "path" and bool(_EMPTY_PATH.match(element.get("d", "")))


def _refers(value: str) -> bool:
    return "url(" in value or "javascript:" in value
