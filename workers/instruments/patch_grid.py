"""Measures what patching each component or head does to the reward."""

from __future__ import annotations

from claims.instruments.manifest import Shard
from claims.instruments.params import completed
from claims.instruments.patch_grid import PARAMS
from claims.registration.model import Registration
from claims.seeds import Seeds
from workers.instruments.pair_block import measure_block
from workers.models.pair_rows import Asked
from workers.models.pair_runs import PatchPlan
from workers.resources import Measured, Progress, Resources


def measure(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress
) -> Measured:
    """The rows of the shard's block of pairs. Raises as `measure_block` does."""
    plan = PatchPlan.of(completed(PARAMS, registration.instrument.params))
    return measure_block(
        shard, registration, seeds, resources, progress, asked=Asked(patch=plan, budget=resources.patch_bytes)
    )
