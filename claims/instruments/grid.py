"""Rows of kind attribution and patch, laid out as pairs by components."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from claims.instruments.manifest import Row

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
LEFT_OUT = ("unreachable", "unreachable_window", "identical")
STATES = ("ok", *LEFT_OUT)
_CODES = {state: code for code, state in enumerate(STATES)}


@dataclass(frozen=True)
class Patched:
    """P runs by C patched components, both in the order of the rows; a run is a pair patched in one direction.

    `effect` is (P, C), `state` (P, C) the place of each cell's state in `STATES`; `margin` (P,) is chosen less
    rejected. A pair patched in both directions is there twice, and `directions` (P,) tells which is which.
    """

    pairs: tuple[str, ...]
    directions: tuple[str, ...]
    clusters: tuple[str, ...]
    components: tuple[str, ...]
    margin: Floats
    effect: Floats
    state: NDArray[np.int8]

    @cached_property
    def joined(self) -> Mask:
        """(P, C) where a patch could act: one that cannot reach the score, or changes nothing, ranks nothing."""
        acted: Mask = self.state == _CODES["ok"]
        return acted

    @property
    def states(self) -> Counter[str]:
        return Counter({state: int(n) for state in STATES if (n := self.cells_in(state).sum())})

    def cells_in(self, *states: str) -> NDArray[np.int64]:
        """(C,) how many of each component's cells are in one of `states`."""
        counted: NDArray[np.int64] = np.isin(self.state, [_CODES[state] for state in states]).sum(axis=0)
        return counted

    def in_direction(self, direction: str) -> Patched:
        """Its runs in that direction."""
        kept = np.array([one == direction for one in self.directions])
        names = (self.pairs, self.directions, self.clusters)
        pairs, directions, clusters = (tuple(compress(given, kept)) for given in names)
        return Patched(
            pairs, directions, clusters, self.components, self.margin[kept], self.effect[kept], self.state[kept]
        )

    @property
    def negative_margins(self) -> int:
        """Of pairs, each counted once."""
        return len({pair for pair, margin in zip(self.pairs, self.margin, strict=True) if margin < 0})


@dataclass(frozen=True)
class Grid(Patched):
    """Patched cells that were attributed too: `differential` is (P, C).

    `attributed_alone` names what was attributed and never patched, which is in no array.
    """

    differential: Floats
    attributed_alone: frozenset[str]
    attribution_rows: int


class _Places(dict[Any, int]):
    """Names by the order in which they were first asked for."""

    def __missing__(self, name: object) -> int:
        self[name] = len(self)
        return self[name]


@dataclass
class _Column:
    """One number of each row of one kind, without the row: a run over heads gives more rows than can be held."""

    kind: str
    runs: _Places = field(default_factory=_Places)
    components: _Places = field(default_factory=_Places)
    run: array[int] = field(default_factory=lambda: array("i"))
    component: array[int] = field(default_factory=lambda: array("i"))
    value: array[float] = field(default_factory=lambda: array("d"))

    def add(self, run: tuple[str, str], component: str, value: float) -> None:
        self.run.append(self.runs[run])
        self.component.append(self.components[component])
        self.value.append(value)

    def laid_out(self) -> tuple[Floats, NDArray[np.int64]]:
        """The values as (P, C), NaN where there is no row, and the place of each row in it, counted through.

        Raises ValueError for a cell with two rows.
        """
        shape = (len(self.runs), len(self.components))
        places = np.asarray(self.run, np.int64) * shape[1] + np.asarray(self.component, np.int64)
        twice = np.flatnonzero(np.bincount(places) > 1)
        if len(twice):
            raise ValueError(f"the cell {self.named(int(twice[0]))} has two rows of kind {self.kind}")
        values = np.full(shape, np.nan)
        values.reshape(-1)[places] = self.value
        return values, places

    def named(self, place: int) -> str:
        run, component = divmod(place, len(self.components))
        return f"{list(self.components)[component]} of the pair {' '.join(list(self.runs)[run]).strip()}"


@dataclass
class _Cells:
    """With `directed`, either direction of a pair is a run of its own, and every row says of which it is."""

    directed: bool
    patched: _Column = field(default_factory=lambda: _Column("patch"))
    attributed: _Column = field(default_factory=lambda: _Column("attribution"))
    state: array[int] = field(default_factory=lambda: array("b"))
    facts: dict[tuple[str, str], tuple[float, str]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        run = (row["pair_id"], row["direction"] if self.directed else "")
        if row["kind"] == "attribution":
            self.attributed.add(run, row["component"], float(row["differential"]))
        else:
            self.patched.add(run, row["component"], float(row["effect"]))
            self.state.append(_CODES[row["state"]])
            self.facts[run] = (float(row["margin"]), row["cluster"])

    def effects(self) -> dict[str, Any]:
        """The fields of `Patched`."""
        effect, places = self.patched.laid_out()
        self._refuse_missing(effect, "patch")
        state = np.empty(effect.shape, np.int8)
        state.reshape(-1)[places] = self.state
        runs = list(self.patched.runs)
        return {
            "pairs": tuple(pair for pair, _ in runs),
            "directions": tuple(direction for _, direction in runs),
            "clusters": tuple(self.facts[run][1] for run in runs),
            "components": tuple(self.patched.components),
            "margin": np.array([self.facts[run][0] for run in runs]),
            "effect": effect,
            "state": state,
        }

    def grid(self) -> Grid:
        attributed = self.attributed
        values, places = attributed.laid_out()
        laid = self.effects()
        if unpatched := attributed.runs.keys() - self.patched.runs.keys():
            raise KeyError(f"the pair {min(unpatched)} has no row of kind patch")
        # Beyond the last row and column, where -1 points, there is no value.
        beyond = np.pad(values, (0, 1), constant_values=np.nan)
        rows = [attributed.runs.get(run, -1) for run in self.patched.runs]
        columns = [attributed.components.get(name, -1) for name in laid["components"]]
        differential = beyond[np.ix_(rows, columns)]
        self._refuse_missing(differential, "attribution")
        alone = frozenset(attributed.components.keys() - self.patched.components.keys())
        return Grid(**laid, differential=differential, attributed_alone=alone, attribution_rows=len(places))

    def _refuse_missing(self, values: Floats, kind: str) -> None:
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise KeyError(f"the cell {self.patched.named(int(missing[0]))} has no row of kind {kind}")


def grids(rows: Iterable[Row], by: str, *, directed: bool = False) -> dict[Any, Grid]:
    """A grid for each value of the row field `by`, in the order in which they appear; other kinds are passed over.

    `directed` where rows of either kind name their direction, and a pair may have been patched in both. Holds numbers
    and no rows. Raises ValueError for a cell with two rows, KeyError for one with a row missing.
    """
    found: dict[Any, _Cells] = {}
    for row in rows:
        if row["kind"] in {"attribution", "patch"}:
            found.setdefault(row[by], _Cells(directed)).add(row)
    return {name: cells.grid() for name, cells in found.items()}


def patched(rows: Iterable[Row]) -> Patched:
    """The cells of all rows of kind patch, whatever their direction; other kinds are passed over.

    Holds numbers and no rows. Raises ValueError for a cell with two rows, KeyError for one with a row missing.
    """
    cells = _Cells(directed=True)
    for row in rows:
        if row["kind"] == "patch":
            cells.add(row)
    return Patched(**cells.effects())


def mean_of_joined(values: Floats, joined: Mask) -> Floats:
    """The mean (C,) of `values` (P, C) over each component's joined pairs; NaN for a component that has none."""
    count = joined.sum(axis=0)
    total = np.where(joined, values, 0.0).sum(axis=0)
    means: Floats = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return means
