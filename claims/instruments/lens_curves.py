"""Rows of kind lens, laid out as pairs by layers, and where a margin crosses half of its final value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from claims.instruments.manifest import Row

Floats = NDArray[np.float64]
HALF = 0.5


@dataclass(frozen=True)
class Curves:
    """`margin` (P, L + 1) of P pairs, in order of their rows: after the embedding, then after each of L layers."""

    pairs: tuple[str, ...]
    dimensions: tuple[str, ...]
    clusters: tuple[str, ...]
    margin: Floats

    @property
    def layers(self) -> int:
        return int(self.margin.shape[1]) - 1

    def of(self, dimension: str) -> Curves:
        """The curves of this dimension's pairs."""
        kept = [index for index, name in enumerate(self.dimensions) if name == dimension]
        return Curves(
            tuple(self.pairs[index] for index in kept),
            tuple(self.dimensions[index] for index in kept),
            tuple(self.clusters[index] for index in kept),
            self.margin[kept],
        )


@dataclass
class LensRows:
    """Takes rows one by one, so that none needs to be kept."""

    _at: dict[str, tuple[str, str]] = field(default_factory=dict)
    _margins: dict[str, dict[int, float]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Raises ValueError for a second row of the same layer of a pair."""
        margins = self._margins.setdefault(row["pair_id"], {})
        if row["layer"] in margins:
            raise ValueError(f"the pair {row['pair_id']!r} has two rows of kind lens for layer {row['layer']}")
        self._at[row["pair_id"]] = (row["dimension"], row["cluster"])
        margins[row["layer"]] = float(row["margin"])

    def curves(self) -> Curves:
        """Raises ValueError where a pair lacks a layer that it should have."""
        layers = range(-1, max((max(margins) for margins in self._margins.values()), default=-1) + 1)
        for pair, margins in self._margins.items():
            if sorted(margins) != list(layers):
                raise ValueError(f"the pair {pair!r} has lens rows for the layers {sorted(margins)}, not {layers}")
        return Curves(
            tuple(self._at),
            tuple(dimension for dimension, _ in self._at.values()),
            tuple(cluster for _, cluster in self._at.values()),
            _array(self._margins, layers),
        )


def crossed(margin: Floats) -> NDArray[np.bool_] | None:
    """Where a running margin (L + 1,) is at least half of its final value, with the final sign.

    None where the final value is 0: half of it is no place to reach.
    """
    if margin[-1] == 0:
        return None
    at_least_half: NDArray[np.bool_] = np.sign(margin[-1]) * margin >= HALF * abs(margin[-1])
    return at_least_half


def first_crossing(margin: Floats) -> int | None:
    """The first layer, -1 for the embedding, at which the margin is there; it need not stay."""
    there = crossed(margin)
    return None if there is None else int(there.argmax()) - 1


def last_crossing(margin: Floats) -> int | None:
    """The layer, -1 for the embedding, from which on the margin stays there."""
    there = crossed(margin)
    return None if there is None else start_of_last_run(there) - 1


def start_of_last_run(there: NDArray[np.bool_]) -> int:
    """The first index from which on all are true; the last index where only that one is, or none."""
    before = np.flatnonzero(~there[:-1])
    return int(before[-1]) + 1 if len(before) else 0


def _array(margins: Mapping[str, Mapping[int, float]], layers: range) -> Floats:
    return np.array([[of_pair[layer] for layer in layers] for of_pair in margins.values()]).reshape(-1, len(layers))
