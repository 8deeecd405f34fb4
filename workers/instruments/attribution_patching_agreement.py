"""Measures preference pairs on a checkpoint: scores, attribution and patching of every component."""

from __future__ import annotations

from collections.abc import Iterator

from claims.instruments.attribution_patching_agreement import PARAMS
from claims.instruments.manifest import Shard
from claims.instruments.params import completed
from claims.registration.model import LocalModel, Registration
from workers.models.pair_rows import PatchPlan, Row, forwards, pair_rows
from workers.refusals import RefusalError
from workers.resources import Measured, Progress, Resources, Seeds


def measure(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress
) -> Measured:
    """The rows of the shard's block of pairs; nothing is drawn, so no seed is used.

    `progress` is told how many pairs are measured. Raises `RefusalError` for a model that cannot be loaded or does
    not conform, and for a pair that it cannot take.
    """
    del seeds
    model = registration.subject.model
    if not isinstance(model, LocalModel):
        raise RefusalError(
            "unsupported_model", f"The subject is of the kind {model.kind!r}.", "Name a local checkpoint directory."
        )
    checkpoint = resources.load(model)
    dimension, first = shard.params["dimension"], int(shard.params["first"])
    of_dimension = sorted((pair for pair in resources.pairs if pair.dimension == dimension), key=lambda pair: pair.id)
    pairs = [checkpoint.writing.encode(pair) for pair in of_dimension[first : first + int(shard.params["pairs"])]]
    plan = PatchPlan.of(completed(PARAMS, registration.instrument.params))

    def rows() -> Iterator[Row]:
        for done, of_pair in enumerate(pair_rows(checkpoint.sites, pairs, plan), start=1):
            yield from of_pair
            progress(done)

    return Measured(rows(), lambda: checkpoint.facts(forwards(checkpoint.sites, len(pairs))))
