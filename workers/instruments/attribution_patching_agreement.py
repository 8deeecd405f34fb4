"""Measures preference pairs on a checkpoint: scores, attribution and patching of everything that is ranked."""

from __future__ import annotations

from claims.instruments.attribution_patching_agreement import PARAMS
from claims.instruments.manifest import Shard
from claims.instruments.params import completed
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
    params = completed(PARAMS, registration.instrument.params)
    asked = Asked(
        attribution="frozen_norm",
        granularity=params["granularity"],
        patch=PatchPlan.of(params),
        budget=resources.patch_bytes,
    )
    return measure_block(shard, registration, seeds, resources, progress, asked=asked)
