"""What was counted while two rankings were compared: pairs, rows, cells, and which component came first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from claims.instruments.agreement_statistics import Ranked
from claims.instruments.grid import LEFT_OUT


def counts(measured: Mapping[str, Ranked]) -> dict[str, int]:
    """By dimension where it says so, else over all.

    `components` are those ranked both ways in some dimension, `components_left_out` the others that were patched,
    `components_attributed_alone` those that were not.
    """
    laid = [ranked.grid for ranked in measured.values()]
    components = {component for grid in laid for component in grid.components}
    ranked_both_ways = {grid.components[index] for grid in laid for index in np.flatnonzero(grid.joined.any(axis=0))}
    return {
        "pairs": sum(len(set(grid.pairs)) for grid in laid),
        "clusters": len({cluster for grid in laid for cluster in grid.clusters}),
        "components": len(ranked_both_ways),
        "components_left_out": len(components - ranked_both_ways),
        "components_attributed_alone": len({name for grid in laid for name in grid.attributed_alone}),
        "dimensions": len(measured),
        "attribution_rows": sum(grid.attribution_rows for grid in laid),
        "patch_rows": sum(grid.effect.size for grid in laid),
        "negative_margins": sum(grid.negative_margins for grid in laid),
        **{state: sum(grid.states[state] for grid in laid) for state in LEFT_OUT},
        **{name: n for dimension, ranked in measured.items() for name, n in _of_dimension(dimension, ranked)},
    }


def first_by_attribution(measured: Mapping[str, Ranked]) -> dict[str, int]:
    """`top_attribution.<dimension>.<component>` names the dimension's first component by attribution, and says for
    how many of its clusters that one is first still with the cluster left out.
    """
    found: dict[str, int] = {}
    for dimension, ranked in measured.items():
        top = ranked.top_attribution(ranked.everything())
        if top is not None:
            first = [ranked.top_attribution(ranked.without(cluster)) == top for cluster in ranked.clusters]
            found[f"top_attribution.{dimension}.{top}"] = sum(first)
    return found


def _of_dimension(dimension: str, ranked: Ranked) -> Iterator[tuple[str, int]]:
    yield f"pairs.{dimension}", len(set(ranked.grid.pairs))
    yield f"negative_margins.{dimension}", ranked.grid.negative_margins
    for state in LEFT_OUT:
        yield f"{state}.{dimension}", ranked.grid.states[state]
