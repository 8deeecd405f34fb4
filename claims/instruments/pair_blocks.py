"""A run over uploaded preference pairs, cut into blocks of pairs that can be measured in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claims.instruments.manifest import Cost, Shard
from claims.registration.model import PairsDataset, Registration

MODEL_KINDS = ("local", "huggingface", "tiny")
PAIRS_A_SHARD = 32
MEMORY = 900 * 2**20


def dimensions_of(registration: Registration) -> list[str]:
    """The dimensions that the registration names, in order. Raises TypeError for a generated dataset."""
    dataset = registration.subject.dataset
    if not isinstance(dataset, PairsDataset):
        raise TypeError(f"{registration.instrument.name} is measured on uploaded pairs")
    return sorted(dataset.dimensions)


def pairs_in(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> int:
    """How many pairs the dimensions that the registration names hold."""
    return sum(pairs_per_dimension[dimension] for dimension in dimensions_of(registration))


def cost_of_scoring(registration: Registration, pairs_per_dimension: Mapping[str, int], seconds_a_pair: float) -> Cost:
    """Two forwards a pair, for a model of 4 layers on one core; a model's own size is known once it is loaded."""
    pairs = pairs_in(registration, pairs_per_dimension)
    return Cost(forwards=2 * pairs, seconds=round(5 + seconds_a_pair * pairs, 1), memory_bytes=MEMORY)


def plan(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Sequence[Shard]:
    """Blocks of up to 32 pairs of one dimension, by order of pair id; a shard's `rows` counts its pairs.

    How many rows a pair gives depends on the model's layers, which are known once it is loaded.
    """
    return [
        Shard(f"{dimension}/{first}", size, {"dimension": dimension, "first": first, "pairs": size})
        for dimension in dimensions_of(registration)
        for first in range(0, pairs_per_dimension[dimension], PAIRS_A_SHARD)
        for size in [min(PAIRS_A_SHARD, pairs_per_dimension[dimension] - first)]
    ]
