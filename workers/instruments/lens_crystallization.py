"""Measures the margin as it builds up from layer to layer."""

from __future__ import annotations

from claims.instruments.manifest import Shard
from claims.registration.model import Registration
from claims.seeds import Seeds
from workers.instruments.pair_block import measure_block
from workers.models.pair_rows import Asked
from workers.resources import Measured, Progress, Resources


def measure(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress
) -> Measured:
    """The rows of the shard's block of pairs. Raises as `measure_block` does."""
    return measure_block(shard, registration, seeds, resources, progress, asked=Asked(lens=True))
