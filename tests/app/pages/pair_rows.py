"""Rows of the instruments over preference pairs, few enough to follow by hand; two dimensions, each pair a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from claims.rows import encode

DIMENSIONS = ("safety", "verbosity")
Cell = dict[str, Any]


def cells(pairs: int) -> Iterator[tuple[int, Cell]]:
    """Each pair with its number, from 0 on in each dimension."""
    for dimension in DIMENSIONS:
        for number in range(pairs):
            name = f"{dimension}-{number}"
            yield number, {"pair_id": name, "dimension": dimension, "cluster": name}


def scored(cell: Cell, margin: float) -> list[Cell]:
    """Both texts' rows of kind score."""
    row = {**cell, "kind": "score", "tokens": 20}
    return [{**row, "side": "chosen", "score": margin}, {**row, "side": "rejected", "score": 0.0}]


def score_rows(pairs: int = 10) -> bytes:
    """Margins of 1 to 2 on safety, of less than 0 on verbosity."""
    sign = {"safety": 1.0, "verbosity": -1.0}
    return encode(
        row for number, cell in cells(pairs) for row in scored(cell, sign[cell["dimension"]] * (1 + number / pairs))
    )


def lens_rows(margins: Sequence[float], pairs: int = 10) -> bytes:
    """The same curve for every pair, raised by a tenth for each pair: `margins` after the embedding and each layer."""
    found = []
    for number, cell in cells(pairs):
        scale = 1 + number / 10
        for layer, margin in enumerate(margins, start=-1):
            given = {"chosen": margin * scale, "rejected": 0.0, "margin": margin * scale}
            found.append({**cell, "kind": "lens", "layer": layer, **given})
        found += scored(cell, margins[-1] * scale)
    return encode(found)


def attribution_rows(components: dict[str, float], pairs: int = 10) -> bytes:
    """Each component's differential, raised by a tenth for each pair."""
    found = []
    for number, cell in cells(pairs):
        values = {name: value * (1 + number / 10) for name, value in components.items()}
        for name, value in values.items():
            given = {"chosen": value, "rejected": 0.0, "differential": value}
            found.append({**cell, "kind": "attribution", "component": name, **given})
        found += scored(cell, sum(values.values()))
    return encode(found)


def patch_rows(components: dict[str, float | None], pairs: int = 10, attributed: float | None = None) -> bytes:
    """Each component's effect, raised by a tenth for each pair; None is unreachable in every pair.

    With `attributed`, rows of kind attribution too, whose differential is so many times the effect, in even pairs a
    tenth more and in odd ones a tenth less.
    """
    found = []
    for number, cell in cells(pairs):
        for name, effect in components.items():
            value = 0.0 if effect is None else effect * (1 + number / 10)
            row = {**cell, "component": name, "direction": "noising"}
            state = "unreachable" if effect is None else "ok"
            found.append({**row, "kind": "patch", "effect": value, "state": state, "margin": 2.0})
            if attributed is not None:
                guess = attributed * value * (1.1 if number % 2 == 0 else 0.9)
                given = {"chosen": guess, "rejected": 0.0, "differential": guess}
                found.append({**row, "kind": "attribution", **given})
        found += scored(cell, 2.0)
    return encode(found)


def bias_rows(pairs: int = 16) -> bytes:
    """Deltas about 1 on safety and about -1 on verbosity, where chosen is longer by 2 tokens more each time."""
    sign = {"safety": 1.0, "verbosity": -1.0}
    return encode(
        {
            **cell,
            "kind": "bias",
            "axis": cell["dimension"],
            "delta": sign[cell["dimension"]] * (1 + (number * number % 5) / 5),
            "length_delta": 2 * number - pairs + number % 3,
        }
        for number, cell in cells(pairs)
    )
