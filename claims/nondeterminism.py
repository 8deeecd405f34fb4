"""What measuring a share of the cells twice tells: how far they differ, and how far bounds could move by it.

What is measured twice, what the figures are and why the bounds' changes are scaled: docs/nondeterminism.md.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from sys import float_info
from typing import Any

from claims.evidence import Estimate, Estimated
from claims.instruments.manifest import Row

ONE_IN = 16
# The band of a metric whose bounds may be anywhere: cells measured again leave no estimate, or none was.
UNBOUNDED = float_info.max
ROWS_SHA256 = "again_sha256."


class MisplacedCellError(ValueError):
    """A cell measured again is none of those measured, or not in their order."""


def label(shard: str) -> str:
    """Whose seed says which of the shard's pairs are measured twice."""
    return f"again/{shard}"


def chosen(pairs: Sequence[str], seed: int) -> frozenset[str]:
    """The ids of one pair in 16, rounded up: those whose SHA-256 of `<seed, 16 hex digits>/<id>` are smallest."""
    ranked = sorted(pairs, key=lambda pair: hashlib.sha256(f"{seed:016x}/{pair}".encode()).digest())
    return frozenset(ranked[: -(-len(pairs) // ONE_IN)])


def nondeterminism(
    first: Estimated, rows: Iterable[Row], again: Iterable[Row], estimate: Callable[[Iterable[Row]], Estimated]
) -> dict[str, float]:
    """The figures that evidence has, where `first` is what `estimate` makes of `rows`; none without cells in `again`.

    `again` holds cells of `rows` in the order of those; neither is held. Raises `MisplacedCellError`.
    """
    seconds = iter(again)
    if (cell := next(seconds, None)) is None:
        return {}
    compared = Compared()
    second = estimate(compared.in_place(rows, chain([cell], seconds)))
    return {**compared.figures(), **bands(first.estimates, second.estimates, compared.share)}


def named(sha256: str, figures: Mapping[str, float]) -> dict[str, float]:
    """The figures with the name of the blob of rows that they come from: under it, how many those are."""
    return {**figures, f"{ROWS_SHA256}{sha256}": figures["cells"]} if figures else {}


def bands(first: Mapping[str, Estimate], second: Mapping[str, Estimate], share: float) -> dict[str, float]:
    """By `band.<metric>`, the larger change of its two bounds, over the share of cells that changed."""
    return {f"band.{name}": _band(estimate, second.get(name), share) for name, estimate in first.items()}


def _band(first: Estimate, second: Estimate | None, share: float) -> float:
    if second is None or not share:
        return UNBOUNDED
    return min(UNBOUNDED, max(abs(second.lo - first.lo), abs(second.hi - first.hi)) / share)


@dataclass
class Compared:
    """What is noted of cells as those measured again take the place of the first."""

    cells: int = 0
    identical: int = 0
    largest: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    scale: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    _once: Counter[Any] = field(default_factory=Counter)
    _twice: Counter[Any] = field(default_factory=Counter)

    def in_place(self, rows: Iterable[Row], again: Iterable[Row]) -> Iterator[Row]:
        """The rows, those of cells measured again replaced by them. Raises `MisplacedCellError` at the end."""
        seconds = iter(again)
        second = next(seconds, None)
        for row in rows:
            if row.get("pair_id") is not None:
                self._once[_part(row)] += 1
            if second is None or second["pair_id"] != row.get("pair_id") or _cell(second) != _cell(row):
                yield row
                continue
            self._note(row, second)
            yield second
            second = next(seconds, None)
        if second is not None:
            raise MisplacedCellError(f"measured again, and none of the cells that follow: {_cell(second)}")

    @property
    def share(self) -> float:
        """Of a dimension's or an organism's cells, those measured twice, where they are fewest."""
        return min(self._twice[part] / cells for part, cells in self._once.items())

    def figures(self) -> dict[str, float]:
        relative = {kind: largest and largest / self.scale[kind] for kind, largest in sorted(self.largest.items())}
        return {
            "share": self.share,
            "cells": float(self.cells),
            "cells_identical": float(self.identical),
            **{f"largest_difference.{kind}": largest for kind, largest in sorted(self.largest.items())},
            **{f"largest_relative_difference.{kind}": value for kind, value in relative.items()},
        }

    def _note(self, first: Row, second: Row) -> None:
        self.cells += 1
        self.identical += first == second
        self._twice[_part(first)] += 1
        kind = first["kind"]
        for name, value in first.items():
            if isinstance(value, float):
                self.largest[kind] = max(self.largest[kind], abs(second[name] - value))
                self.scale[kind] = max(self.scale[kind], abs(value), abs(second[name]))


def _part(row: Row) -> tuple[Any, Any]:
    return row["dimension"], row.get("organism")


def _cell(row: Row) -> dict[str, Any]:
    """Which cell it is: everything but what was measured, which are floats and the state of a patch."""
    return {name: None if isinstance(value, float) or name == "state" else value for name, value in row.items()}
