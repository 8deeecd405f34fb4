"""A measurement without a ledger: the shards of the plan in their order, joined and estimated as a run's are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from tempfile import TemporaryFile
from typing import BinaryIO

from claims import seeds
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Shard
from workers import row_file
from workers.evidence import MeasuredShard, assemble
from workers.measurement import measure_into
from workers.resources import Progress, Resources
from workers.source import source_of
from workers.unregistered.asking import EVERYWHERE, Question

Tell = Callable[[int], None]


def shards_of(question: Question) -> Sequence[Shard]:
    registration = question.registration
    dataset, pairs = registration.subject.dataset, question.pairs
    held = {name: pairs.dimensions[name] for name in dataset.dimensions} if pairs and dataset.kind == "pairs" else {}
    return catalogue()[registration.instrument.name].plan(registration, held)


def run(question: Question, shards: Sequence[Shard], rows: BinaryIO, tell: Tell) -> Evidence:
    """Measure every shard, write their rows to the file, and return the evidence.

    `tell` is told how much of the shards' rows is done. Raises `RefusalError` and `InsufficientMemoryError`.
    """
    opened = datetime.now(UTC)
    measured: list[MeasuredShard] = []
    sha256 = row_file.write(_measure(question, shards, measured, tell), rows)
    return assemble(question.registration, measured, rows, sha256, opened)


def _measure(question: Question, shards: Sequence[Shard], measured: list[MeasuredShard], tell: Tell) -> Iterator[bytes]:
    """The bytes of the rows of each shard in turn; what else is known of it is added to `measured`."""
    registration = question.registration
    seed = partial(seeds.seed, question.nonce, registration.sha256())
    resources = Resources.of(registration, question.pairs, EVERYWHERE)
    before = 0
    for shard in shards:
        started, source = datetime.now(UTC), source_of(registration.instrument.name)
        with TemporaryFile() as file:
            facts = measure_into(file, shard, registration, seed, resources, _after(before, tell))
            yield from row_file.parts_of(file)
        measured.append(MeasuredShard(shard.label, facts, source, started, datetime.now(UTC), 1))
        before += shard.rows
        tell(before)


def _after(before: int, tell: Tell) -> Progress:
    return lambda done: tell(before + done)
