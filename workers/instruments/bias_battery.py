"""Measures how far rewards lean to one side of pairs that differ along an axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from claims.instruments.manifest import Row, Shard
from claims.near_duplicates import merged_clusters
from claims.registration.model import Registration
from claims.seeds import Seeds
from workers.instruments.pair_block import measure_block
from workers.models.pair_rows import Asked
from workers.resources import Measured, Progress, Resources


def measure(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress
) -> Measured:
    """The rows of the shard's block of pairs, each pair in the cluster of everything that resembles it.

    Raises as `measure_block` does.
    """
    clusters = merged_clusters(resources.pairs)
    merged = replace(resources, pairs=tuple(replace(pair, cluster=clusters[pair.id]) for pair in resources.pairs))
    measured = measure_block(shard, registration, seeds, merged, progress, asked=Asked())
    return Measured(_with_deltas(measured.rows), measured.facts, _with_deltas(measured.again))


def _with_deltas(scores: Iterable[Row]) -> Iterator[Row]:
    for _, of_pair in groupby(scores, key=itemgetter("pair_id")):
        chosen, rejected = of_sides = list(of_pair)
        yield from of_sides
        yield {
            **{name: chosen[name] for name in ("pair_id", "dimension", "cluster")},
            "kind": "bias",
            "axis": chosen["dimension"],
            "delta": chosen["score"] - rejected["score"],
            "length_delta": chosen["tokens"] - rejected["tokens"],
        }
