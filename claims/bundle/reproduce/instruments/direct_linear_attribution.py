"""Recomputes direct_linear_attribution: what each component adds to the margin, and its share of all magnitudes."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any

from claims.bundle.reproduce.ranks import mean


def recompute(rows: Iterator[Mapping[str, Any]], registration: Mapping[str, Any]) -> dict[str, float]:
    """Every metric that the rows define, by name."""
    del registration  # convention and granularity say what the rows hold, not what follows from them
    values: dict[str, dict[str, array[float]]] = {}  # by component, then dimension: one differential a pair
    of_pair: dict[str, array[float]] = {}
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["kind"] == "score":
            scores.setdefault(row["pair_id"], {})[row["side"]] = float(row["score"])
        elif row["kind"] == "attribution":
            differential = float(row["differential"])
            own = values.setdefault(row["component"], {}).setdefault(row["dimension"], array("d"))
            own.append(differential)
            of_pair.setdefault(row["pair_id"], array("d")).append(differential)
    dimensions = sorted({dimension for each in values.values() for dimension in each})
    found: dict[str, float] = {}
    for suffix, chosen in [("", dimensions), *(("." + one, [one]) for one in dimensions)]:
        found.update(of_magnitudes({name: in_dimensions(each, chosen) for name, each in values.items()}, suffix))
    for component, each in values.items():
        found["mean_differential." + component] = mean(in_dimensions(each, dimensions))
    margins = {pair: sides["chosen"] - sides["rejected"] for pair, sides in scores.items()}
    found["accuracy"] = mean([(margin > 0) + (margin == 0) / 2 for margin in margins.values()])
    total = fsum(abs(value) for each in of_pair.values() for value in each)
    if total:
        missing = fsum(abs(margins[pair] - fsum(each)) for pair, each in of_pair.items())
        found["unexplained_share"] = missing / total
    return found


def in_dimensions(of_component: Mapping[str, array[float]], dimensions: list[str]) -> list[float]:
    return [value for dimension in dimensions for value in of_component[dimension]]


def of_magnitudes(values: Mapping[str, list[float]], suffix: str) -> dict[str, float]:
    """The largest share, the last layers', and, of all dimensions together, each component's."""
    magnitude = {component: fsum(map(abs, each)) for component, each in values.items()}
    total = fsum(magnitude.values())
    if not total:
        return {}
    layers = 1 + max((layer_of(component) for component in values), default=-1)
    late = layers - max(1, layers // 8)
    found = {
        "top_share" + suffix: max(magnitude.values()) / total,
        "late_share" + suffix: fsum(each for name, each in magnitude.items() if layer_of(name) >= max(0, late)) / total,
    }
    shares = {"share." + component: each / total for component, each in magnitude.items()}
    return found if suffix else {**found, **shares}


def layer_of(component: str) -> int:
    """The layer in the component's name; -1 for the embedding and the norm's shift, which are of none."""
    layer = re.search(r"_L(\d+)", component)
    return int(layer.group(1)) if layer else -1
