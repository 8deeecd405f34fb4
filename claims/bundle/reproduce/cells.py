"""Rows of kind attribution and patch as cells: what each component shows in each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any


class Cells:
    """The cells of one group of rows, such as an organism or a dimension; a cell is (pair, component).

    `differentials` and `effects` hold every cell of either kind, `joined` those in which a patch could act, of which
    alone rankings are made. `components` are the patched ones in the order of the rows, `margins` those of the pairs.
    """

    def __init__(self) -> None:
        self.differentials: dict[tuple[str, str], float] = {}
        self.effects: dict[tuple[str, str], float] = {}
        self.joined: dict[str, list[tuple[str, str]]] = {}
        self.margins: dict[str, float] = {}

    @property
    def components(self) -> list[str]:
        return list(self.joined)

    def add(self, row: Mapping[str, Any]) -> None:
        """Takes the row if it is one of these kinds, and passes over any other."""
        if row["kind"] == "attribution":
            self.differentials[row["pair_id"], row["component"]] = float(row["differential"])
        elif row["kind"] == "patch":
            cell = (row["pair_id"], row["component"])
            self.effects[cell] = float(row["effect"])
            joined = self.joined.setdefault(row["component"], [])
            if row["state"] == "ok":
                joined.append(cell)
            self.margins[row["pair_id"]] = float(row["margin"])


def joined(rows: Iterable[Mapping[str, Any]], cell: Sequence[str]) -> Iterator[tuple[float, Mapping[str, Any]]]:
    """The differential and the row of kind patch of each patched cell, which is named by the fields `cell`.

    Held are only the cells of which one half is still to come. Raises ValueError where an attribution never came.
    """
    differentials: dict[tuple[str, ...], float] = {}
    patches: dict[tuple[str, ...], Mapping[str, Any]] = {}
    for row in rows:
        if row["kind"] not in {"attribution", "patch"}:
            continue
        name = tuple(row[field] for field in cell)
        if row["kind"] == "attribution":
            differentials[name] = float(row["differential"])
        else:
            patches[name] = row
        if name in differentials and name in patches:
            yield differentials.pop(name), patches.pop(name)
    if patches:
        raise ValueError(f"{len(patches)} patched cells have no row of kind attribution of their own")
