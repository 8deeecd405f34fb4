"""The study's own preference pairs, and which of them the model is never trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from claims.pairs import Pair, Pairs, read_pairs

HERE = Path(__file__).parent
HELD_OUT = 0.3


@dataclass(frozen=True)
class Split:
    training: tuple[Pair, ...]
    held_out: tuple[Pair, ...]


def read_folder(folder: Path) -> Pairs:
    """The pairs of every `*.jsonl` file of a folder. Raises `RefusedInputError` with every flaw."""
    return read_pairs(b"".join(file.read_bytes() for file in sorted(folder.glob("*.jsonl"))))


def split(pairs: Iterable[Pair]) -> Split:
    """In each dimension, the 30 % of clusters whose names hash lowest are held out.

    What a pair's text says plays no part, nor does the order of lines, nor what other dimensions hold; a pair goes
    where its cluster goes.
    """
    clusters: dict[str, set[str]] = {}
    rows = sorted(pairs, key=lambda pair: (pair.dimension, pair.id))
    for pair in rows:
        clusters.setdefault(pair.dimension, set()).add(pair.cluster)
    held_out = {(dimension, name) for dimension, names in clusters.items() for name in _lowest(names)}
    kept_out = tuple(pair for pair in rows if (pair.dimension, pair.cluster) in held_out)
    return Split(tuple(pair for pair in rows if pair not in kept_out), kept_out)


def folds(pairs: Iterable[Pair], count: int) -> list[Split]:
    """`count` ways to hold out a part of `pairs`: each cluster once, every dimension in about equal parts."""
    rows = list(pairs)
    names = sorted({(pair.dimension, _hash(pair.cluster), pair.cluster) for pair in rows})
    fold_of = {cluster: rank % count for rank, (_, _, cluster) in enumerate(names)}
    return [
        Split(
            tuple(pair for pair in rows if fold_of[pair.cluster] != fold),
            tuple(pair for pair in rows if fold_of[pair.cluster] == fold),
        )
        for fold in range(count)
    ]


def _lowest(names: set[str]) -> list[str]:
    return sorted(names, key=_hash)[: round(HELD_OUT * len(names))]


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()
