"""A shard of preference pairs on a checkpoint: what every instrument over uploaded pairs does alike."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from claims.instruments import catalogue
from claims.instruments.manifest import Shard
from claims.nondeterminism import label
from claims.registration.model import GeneratedDataset, OrganismModel, Registration
from claims.seeds import Seeds
from workers.models.pair_rows import Asked, Row, pair_rows
from workers.models.pair_runs import Tally
from workers.nondeterminism import rows_again
from workers.resources import Measured, Progress, Resources


def measure_block(
    shard: Shard, registration: Registration, seeds: Seeds, resources: Resources, progress: Progress, *, asked: Asked
) -> Measured:
    """The rows of the shard's block of pairs, as asked; `progress` is told how many pairs are measured.

    The seed `again/<shard>` picks those that are measured twice. Raises `RefusalError` for a model that cannot be
    loaded or does not conform, and for a pair that it cannot take.
    """
    model = registration.subject.model
    if isinstance(model, OrganismModel) or isinstance(registration.subject.dataset, GeneratedDataset):
        raise TypeError(f"{registration.instrument.name} measures uploaded pairs on a checkpoint")
    checkpoint = resources.load(model)
    checkpoint.offer(catalogue()[registration.instrument.name].MANIFEST.capabilities)
    dimension, first = shard.params["dimension"], int(shard.params["first"])
    of_dimension = sorted((pair for pair in resources.pairs if pair.dimension == dimension), key=lambda pair: pair.id)
    pairs = [checkpoint.writing.encode(pair) for pair in of_dimension[first : first + int(shard.params["pairs"])]]
    tally = Tally()

    def rows() -> Iterator[Row]:
        for done, of_pair in enumerate(pair_rows(checkpoint.anatomy, pairs, asked, tally), start=1):
            yield from of_pair
            progress(done)

    again = rows_again(checkpoint.anatomy, pairs, asked, tally, seeds(label(shard.label)))
    return Measured(rows(), lambda: checkpoint.facts(tally), chain.from_iterable(again))
