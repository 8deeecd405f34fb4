"""Rows of kind attribution, laid out as pairs by components."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from claims.instruments.manifest import Row

_LAYER = re.compile(r"_L(\d+)")


@dataclass(frozen=True)
class Differentials:
    """`values` (P, C): what each of C components adds to the margin of each of P pairs, chosen less rejected."""

    pairs: tuple[str, ...]
    dimensions: tuple[str, ...]
    clusters: tuple[str, ...]
    components: tuple[str, ...]
    values: NDArray[np.float64]

    @property
    def layers(self) -> int:
        """How many layers the components are of; 0 where none is of a layer."""
        return 1 + max((layer for layer in map(layer_of, self.components) if layer is not None), default=-1)

    def of(self, dimension: str) -> Differentials:
        """Those of this dimension's pairs."""
        kept = [index for index, name in enumerate(self.dimensions) if name == dimension]
        pairs, dimensions, clusters = (
            tuple(names[index] for index in kept) for names in (self.pairs, self.dimensions, self.clusters)
        )
        return Differentials(pairs, dimensions, clusters, self.components, self.values[kept])


def layer_of(component: str) -> int | None:
    """The layer in the component's name; None for embed and norm_bias, which are of none."""
    found = _LAYER.search(component)
    return int(found[1]) if found else None


def late_layers(layers: int) -> range:
    """The last eighth of the layers, rounded down, and at least one."""
    return range(layers - max(1, layers // 8), layers)


@dataclass
class AttributionRows:
    """Takes rows one by one and keeps their numbers alone: heads of many layers give more rows than can be held."""

    _at: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    _pair: defaultdict[str, array[int]] = field(default_factory=lambda: defaultdict(lambda: array("q")))
    _value: defaultdict[str, array[float]] = field(default_factory=lambda: defaultdict(lambda: array("d")))

    def add(self, row: Row) -> None:
        number, _, _ = self._at.setdefault(row["pair_id"], (len(self._at), row["dimension"], row["cluster"]))
        self._pair[row["component"]].append(number)
        self._value[row["component"]].append(float(row["differential"]))

    def differentials(self) -> Differentials:
        """Raises ValueError unless every pair has every component once, and no attention layer beside its own heads."""
        components = tuple(self._pair)
        _refuse_parts_beside_their_whole(components)
        values = np.empty((len(self._at), len(components)))
        for index, component in enumerate(components):
            numbers = np.asarray(self._pair[component])
            if sorted(numbers.tolist()) != list(range(len(self._at))):
                raise ValueError(f"not every pair has one row of kind attribution for {component}")
            values[numbers, index] = self._value[component]
        return Differentials(
            tuple(self._at),
            tuple(dimension for _, dimension, _ in self._at.values()),
            tuple(cluster for _, _, cluster in self._at.values()),
            components,
            values,
        )


def _refuse_parts_beside_their_whole(components: Iterable[str]) -> None:
    """What is both in a sum would count twice."""
    split = {layer_of(name) for name in components if name.startswith("head_")}
    for name in components:
        if name.startswith("attn_") and layer_of(name) in split:
            raise ValueError(f"{name} has rows beside those of its heads")
