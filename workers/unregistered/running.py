"""A measurement without a ledger: the shards of the plan in their order, joined and estimated as a run's are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime

from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Shard
from claims.seeds import seeds_of
from workers.evidence import MeasuredShard, assemble
from workers.measurement import measure_into
from workers.resources import Progress, Resources
from workers.row_file import RowFiles
from workers.source import source_of
from workers.unregistered.asking import EVERYWHERE, Question

Tell = Callable[[int], None]


def shards_of(question: Question) -> Sequence[Shard]:
    registration = question.registration
    dataset, pairs = registration.subject.dataset, question.pairs
    held = {name: pairs.dimensions[name] for name in dataset.dimensions} if pairs and dataset.kind == "pairs" else {}
    return catalogue()[registration.instrument.name].plan(registration, held)


def run(question: Question, shards: Sequence[Shard], files: RowFiles, tell: Tell) -> Evidence:
    """Measure every shard, write their rows to the files, and return the evidence.

    `tell` is told how much of the shards' rows is done. Raises `RefusalError` and `InsufficientMemoryError`.
    """
    opened = datetime.now(UTC)
    measured = list(_measure(question, shards, files, tell))
    seeds = seeds_of(question.nonce, question.registration.sha256())
    return assemble(question.registration, seeds, measured, files, opened)


def _measure(question: Question, shards: Sequence[Shard], files: RowFiles, tell: Tell) -> Iterator[MeasuredShard]:
    """What is known of each shard in turn, its rows being written."""
    registration = question.registration
    seeds = seeds_of(question.nonce, registration.sha256())
    resources = Resources.of(registration, question.pairs, EVERYWHERE)
    before = 0
    for shard in shards:
        started, source = datetime.now(UTC), source_of(registration.instrument.name)
        facts = measure_into(files, shard, registration, seeds, resources, _after(before, tell))
        yield MeasuredShard(shard.label, facts, source, started, datetime.now(UTC), 1)
        before += shard.rows
        tell(before)


def _after(before: int, tell: Tell) -> Progress:
    return lambda done: tell(before + done)
