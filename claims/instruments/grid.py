"""Rows of kind attribution and patch, laid out as pairs by components."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claims.instruments.manifest import Row

Floats = NDArray[np.float64]
LEFT_OUT = ("unreachable", "unreachable_window", "identical")


@dataclass(frozen=True)
class Grid:
    """P pairs by C patched components, both in the order of the rows; what was attributed alone is not in it.

    `differential` and `effect` are (P, C); `joined` (P, C) says where a patch could act: one that cannot reach the
    score, or that replaces a value by itself, ranks nothing. `margin` (P,) is chosen less rejected.
    """

    pairs: tuple[str, ...]
    clusters: tuple[str, ...]
    components: tuple[str, ...]
    margin: Floats
    differential: Floats
    effect: Floats
    joined: NDArray[np.bool_]
    states: Counter[str]

    @property
    def negative_margins(self) -> int:
        return int((self.margin < 0).sum())


@dataclass
class _Cells:
    margins: dict[str, tuple[float, str]] = field(default_factory=dict)
    differentials: dict[tuple[str, str], float] = field(default_factory=dict)
    effects: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        cell = (row["pair_id"], row["component"])
        known: dict[tuple[str, str], Any] = self.differentials if row["kind"] == "attribution" else self.effects
        if cell in known:
            raise ValueError(f"the cell {cell} has two rows of kind {row['kind']}")
        if row["kind"] == "attribution":
            self.differentials[cell] = float(row["differential"])
        else:
            self.effects[cell] = (float(row["effect"]), row["state"])
            self.margins[row["pair_id"]] = (float(row["margin"]), row["cluster"])

    def grid(self) -> Grid:
        pairs = tuple(self.margins)
        components = tuple(dict.fromkeys(component for _, component in self.effects))
        cells = [[(pair, component) for component in components] for pair in pairs]
        states = [[self.effects[cell][1] for cell in row] for row in cells]
        return Grid(
            pairs,
            tuple(self.margins[pair][1] for pair in pairs),
            components,
            np.array([self.margins[pair][0] for pair in pairs]),
            np.array([[self.differentials[cell] for cell in row] for row in cells]),
            np.array([[self.effects[cell][0] for cell in row] for row in cells]),
            np.array([[state not in LEFT_OUT for state in row] for row in states]),
            Counter(state for row in states for state in row),
        )


def grids(rows: Iterable[Row], by: str) -> dict[Any, Grid]:
    """A grid for each value of the row field `by`, in the order in which they appear; other kinds are passed over.

    Raises ValueError for a cell with two rows, KeyError for one with a row missing.
    """
    found: dict[Any, _Cells] = {}
    for row in rows:
        if row["kind"] in {"attribution", "patch"}:
            found.setdefault(row[by], _Cells()).add(row)
    return {name: cells.grid() for name, cells in found.items()}


def mean_of_joined(values: Floats, joined: NDArray[np.bool_]) -> Floats:
    """The mean (C,) of `values` (P, C) over each component's joined pairs; NaN for a component that has none."""
    count = joined.sum(axis=0)
    total = np.where(joined, values, 0.0).sum(axis=0)
    means: Floats = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return means
