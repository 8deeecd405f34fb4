"""One quantity of every component: the largest of all as a list, and all of them by layer, or by layer and head."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.pages import words
from app.pages.charts.by_layer import LayerValue, by_layer
from app.pages.charts.heads import HeadValue, heads
from app.pages.charts.intervals import Measured, Scale, intervals
from app.pages.charts.theme import Picture
from app.pages.pictures.pictured import MOST_ROWS, Pictured
from claims.evidence import Estimate

MOST = 20  # components in the list of the largest
_PLACE = re.compile(r"(attn|mlp|bias|head)_L(\d+)(?:_H(\d+))?")
_PANELS = {"attn": "attention", "mlp": "MLP", "bias": "bias of attention's output"}


@dataclass(frozen=True)
class ComponentValue:
    """`value` is None where nothing could be measured, and `why` says so; `cells` is what else its table row holds."""

    name: str
    value: float | None
    estimate: Estimate | None
    why: str = ""
    cells: Sequence[str] = ()

    @property
    def hint(self) -> str:
        if self.value is None:
            return f"{self.name}: {self.why}"
        spread = f" {words.interval(self.estimate.lo, self.estimate.hi)}" if self.estimate else ""
        return f"{self.name}: {words.number(self.value)}{spread}"

    @property
    def ends(self) -> tuple[float | None, float | None]:
        return (self.estimate.lo, self.estimate.hi) if self.estimate else (None, None)


@dataclass(frozen=True)
class Quantity:
    """What the pictures say of it: its name, as in the middle of a sentence, and its column's with those after it."""

    name: str
    says: str
    columns: Sequence[str]


def pictures(found: Sequence[ComponentValue], quantity: Quantity, intervals_said: str) -> list[Pictured]:
    """The largest, then all of them by layer; nothing where nothing could be measured."""
    known = sorted((one for one in found if one.value is not None), key=lambda one: -abs(one.value or 0))
    if not known:
        return []
    return [_largest(known[:MOST], len(known), quantity, intervals_said), _everywhere(found, quantity)]


def _largest(found: Sequence[ComponentValue], of: int, quantity: Quantity, intervals_said: str) -> Pictured:
    rows = [Measured(one.name, one.value or 0.0, *one.ends, one.hint, (one.value or 0) < 0) for one in found]
    which = f"the {len(found)} largest of {words.count(of)} components" if len(found) < of else "all components"
    hollow = " Hollow: no interval, for the reason given under what was not measured." if _hollow(found) else ""
    return Pictured(
        title=f"Where the {quantity.name} is largest",
        says=quantity.says,
        drawn=intervals(
            rows,
            Scale(f"{quantity.name}, in reward"),
            f"{quantity.name.capitalize()} of {which}, by magnitude: {'; '.join(one.hint for one in found)}.",
            tall=len(rows) < MOST,
        ),
        caption=f"{which.capitalize()}, by magnitude. Mark: {quantity.name}. Bar: interval, {intervals_said}.{hollow}",
        columns=("Component", *quantity.columns),
        rows=[_row(one) for one in found],
    )


def _hollow(found: Sequence[ComponentValue]) -> bool:
    return any(one.estimate is None for one in found)


def _everywhere(found: Sequence[ComponentValue], quantity: Quantity) -> Pictured:
    apart = [one for one in found if not _PLACE.fullmatch(one.name)]
    split = any(one.name.startswith("head_") for one in found)
    told = ["Of no layer: " + ", ".join(one.hint for one in apart) + "."] if apart else []
    if any(one.value is None for one in found):
        told.append("Cross: nothing could be measured there, which is not zero; the table says why.")
    if len(found) > MOST_ROWS:
        told.append(f"The table holds the first {words.count(MOST_ROWS)} of {words.count(len(found))} components.")
    return Pictured(
        title=f"{quantity.name.capitalize()} by layer{' and head' if split else ''}",
        says=_field_says(found) if split else "Bars of one kind of component, from the first layer to the last.",
        drawn=_field(found, quantity) if split else _bars(found, quantity),
        caption=" ".join(told),
        columns=("Component", *quantity.columns),
        rows=[_row(one) for one in found[:MOST_ROWS]],
    )


def _field_says(found: Sequence[ComponentValue]) -> str:
    most = max((abs(one.value) for one in found if one.value is not None), default=0.0)
    beside = sorted({one.name.partition("_")[0] for one in found if not one.name.startswith("head_")})
    others = f" Heads alone are drawn; {', '.join(beside)} are in the table." if beside else ""
    return (
        f"The fuller a cell, the larger its magnitude, up to {words.number(most)}; below zero it has the second colour "
        f"and, unless it is small, a dash.{others}"
    )


def _field(found: Sequence[ComponentValue], quantity: Quantity) -> Picture:
    places = [(one, _PLACE.fullmatch(one.name)) for one in found]
    cells = [
        HeadValue(int(place[2]), int(place[3]), one.value, one.hint)
        for one, place in places
        if place and place[1] == "head"
    ]
    return heads(cells, f"Field of layers by heads: {quantity.name} of {len(cells)} heads, the same as the table.")


def _bars(found: Sequence[ComponentValue], quantity: Quantity) -> Picture:
    places = [(one, _PLACE.fullmatch(one.name)) for one in found]
    bars = [
        LayerValue(_PANELS[place[1]], int(place[2]), one.value, *one.ends, one.hint) for one, place in places if place
    ]
    label = f"Bars by layer: {quantity.name} of {len(bars)} components, the same as the table."
    return by_layer(bars, "reward", label)


def _row(one: ComponentValue) -> list[str]:
    shown = words.NOTHING if one.value is None else words.number(one.value)
    spread = words.interval(one.estimate.lo, one.estimate.hi) if one.estimate else (one.why or words.NOTHING)
    return [one.name, shown, spread, *one.cells]
