"""WCAG 2.2, contrast: 4.5 to 1 for text, 3 to 1 for the lines and marks that carry meaning, light and dark."""

from __future__ import annotations

import re

import pytest

from app.pages.assets import STATIC

COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
COLOURS = {name: (light, dark) for name, light, dark in COLOUR.findall((STATIC / "antedate.css").read_text())}
STATUSES = ["confirmed", "refuted", "inconclusive", "void", "running", "withdrawn"]
TEXT = [
    *((ink, ground) for ink in ("ink", "muted", "link") for ground in ("paper", "panel")),
    *((status, "paper") for status in STATUSES),
    *((status, f"{status}-wash") for status in STATUSES),
    *(("ink", f"{status}-wash") for status in STATUSES),
    ("link", "withdrawn-wash"),
    ("paper", "ink"),
]
MARKS = [
    ("edge", "paper"),
    ("focus", "paper"),
    *((mark, ground) for mark in ("first", "second", *STATUSES) for ground in ("paper", "wash")),
]


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_can_be_read(ink: str, ground: str, scheme: int):
    assert contrast(COLOURS[ink][scheme], COLOURS[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("mark", "ground"), MARKS)
def test_marks_can_be_told_from_their_ground(mark: str, ground: str, scheme: int):
    assert contrast(COLOURS[mark][scheme], COLOURS[ground][scheme]) >= 3


def test_the_formula_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
