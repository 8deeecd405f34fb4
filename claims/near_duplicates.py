"""Pairs that say nearly the same, found by the words they share, and the clusters that they leave.

Two pairs are near-duplicates when the Jaccard similarity of their shingles, those in both over those in either,
is at least `LIKE` (A. Broder, On the resemblance and containment of documents, 1997). It is computed exactly, without
sketches or chance.

With runs of three words, a copy in which one word in six was replaced keeps about (5/6)^3 = 0.58 of its shingles,
which is a similarity of 0.58 / (2 - 0.58) = 0.41. Texts written independently share a few turns of phrase: no two pairs
of `claims.diagnostic` reach 0.05.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from claims.pairs import Pair
from claims.shingles import Shingles, shingles_of

LIKE = 0.4  # the similarity from which on two pairs are near-duplicates
_CELLS = 2**22  # of the similarity matrix, computed at a time

Indices = NDArray[np.int64]


class TooManyOverlapsError(ValueError):
    """The pairs have so much text in common that comparing them takes longer than the caller allows."""


def near_duplicates(pairs: Iterable[Pair], most_overlaps: float = float("inf")) -> tuple[tuple[str, ...], ...]:
    """The ids of the pairs that near-duplication connects, also through others: groups of two or more.

    Ids are sorted within a group, groups by their first id, so the order of `pairs` does not matter. Raises
    `TooManyOverlapsError` where pairs of pairs have more than `most_overlaps` shingles in common in all; 10^9 take
    seconds.
    """
    ordered = sorted(pairs, key=_id)
    first = _first_like(ordered, most_overlaps)
    groups: dict[int, list[str]] = {}
    for index, pair in enumerate(ordered):
        groups.setdefault(int(first[index]), []).append(pair.id)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def merged_clusters(pairs: Iterable[Pair]) -> Mapping[str, str]:
    """Each pair's cluster once near-duplicates count as one cluster with all of the clusters that they declare.

    A merged cluster has the name that the pair of the smallest id declares. Pairs that were given their merged
    clusters keep them.
    """
    ordered = sorted(pairs, key=_id)
    first_declared: dict[str, int] = {}
    declared = [first_declared.setdefault(pair.cluster, index) for index, pair in enumerate(ordered)]
    first = _joined(_first_like(ordered, float("inf")), np.arange(len(ordered)), np.array(declared, dtype=np.int64))
    return {pair.id: ordered[first[index]].cluster for index, pair in enumerate(ordered)}


def _id(pair: Pair) -> str:
    return pair.id


def _first_like(pairs: list[Pair], most_overlaps: float) -> Indices:
    """For each pair the index of the first one that near-duplication connects it with, itself where there is none."""
    shingles = shingles_of(pairs)
    if shingles.overlaps > most_overlaps:
        raise TooManyOverlapsError(f"the pairs have {shingles.overlaps:.2g} overlaps, more than {most_overlaps:.2g}")
    first = np.arange(len(pairs))
    step = max(1, _CELLS // max(1, len(pairs)))
    for start in range(0, len(pairs), step):
        first = _joined(first, *_alike(shingles, start, start + step))
    return first


def _alike(shingles: Shingles, start: int, stop: int) -> tuple[Indices, Indices]:
    """The near-duplicates of the pairs from `start` to before `stop` among those from `start` on: both indices."""
    common = (shingles.weighted[start:stop] @ shingles.held[start:].T).tocoo()
    ours, theirs = (indices.astype(np.int64) + start for indices in common.coords)
    either = shingles.sizes[ours] + shingles.sizes[theirs] - common.data
    alike = common.data / either >= LIKE
    return ours[alike], theirs[alike]


def _joined(first: Indices, ours: Indices, theirs: Indices) -> Indices:
    """`first`, the first member of each one's component, after `ours` and `theirs` are connected one by one."""
    count = len(first)
    edges = (np.concatenate([np.arange(count), ours]), np.concatenate([first, theirs]))
    graph = coo_array((np.ones(len(edges[0]), dtype=np.int8), edges), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    _, firsts, of = np.unique(labels, return_index=True, return_inverse=True)
    return firsts[of].astype(np.int64)
