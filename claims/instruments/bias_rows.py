"""Rows of kind bias, laid out by axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from claims.instruments.bias_statistics import Axis
from claims.instruments.manifest import Row


def axes_in(rows: Iterable[Row]) -> list[Axis]:
    """The axes by name, each one's pairs by id; other kinds are passed over.

    Raises ValueError for a pair seen twice on one axis.
    """
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["kind"] != "bias":
            continue
        pairs = found.setdefault(row["axis"], {})
        if row["pair_id"] in pairs:
            raise ValueError(f"the pair {row['pair_id']!r} has two rows on the axis {row['axis']!r}")
        pairs[row["pair_id"]] = row
    return [_axis(name, [pairs[pair] for pair in sorted(pairs)]) for name, pairs in sorted(found.items())]


def _axis(name: str, rows: Sequence[Row]) -> Axis:
    return Axis(
        name,
        np.array([row["delta"] for row in rows], dtype=np.float64),
        np.array([row["length_delta"] for row in rows], dtype=np.float64),
        tuple(row["cluster"] for row in rows),
    )
