"""One shard, from the message that hints at it to its rows on the ledger."""

from __future__ import annotations

import json
import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy.exc import InterfaceError, OperationalError

from app.ledger import blobs, datasets, judging, queue, runs
from app.ledger.database import Ledger
from app.ledger.runs import Assignment
from claims import rows, seeds
from claims.evidence import Refusal
from claims.pairs import Pair
from claims.registration.model import PairsDataset
from workers import process
from workers.heartbeat import Heartbeat, LeaseLostError
from workers.public_text import public_text
from workers.refusals import RefusalError
from workers.resources import Resources
from workers.source import source_of

ROWS = "application/jsonl"
FAILURE_LINES = 20
RETRY_SECONDS = 1.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Worker:
    """What a worker measures with: its ledger, its models and how long it may be silent."""

    ledger: Ledger
    model_root: Path | None
    term: timedelta


def measure_shard(worker: Worker, run: str, index: int) -> str | None:
    """Measure the shard if it waits for a worker; returns the run's id once the shard is done, else None."""
    assignment = _take(worker, run, index)
    if assignment is None:
        return None
    lease = assignment.lease
    try:
        with Heartbeat(worker.ledger, lease, worker.term) as heartbeat:
            body, facts = _measure(worker, assignment, heartbeat.progress)
        kept = _patiently(worker, partial(_keep, worker.ledger, assignment, body, facts))
    except LeaseLostError as lost:
        log.info("%s", lost)
        return None
    except RefusalError as refusal:
        _patiently(worker, partial(_refuse, worker, assignment, refusal))
        return None
    except Exception:
        failure = _failure(worker.model_root)
        log.exception("measuring shard %d of run %s failed", index, run)
        _patiently(worker, partial(_give_up, worker.ledger, assignment, failure))
        return None
    except BaseException:  # the process is told to end: another one takes the shard from here
        with worker.ledger.begin() as session:
            queue.release(session, lease)
        raise
    return run if kept else None


def _take(worker: Worker, run: str, index: int) -> Assignment | None:
    with worker.ledger.begin() as session:
        instrument = runs.awaited_instrument(session, run, index)
    if instrument is None:
        return None
    source = source_of(instrument)
    with worker.ledger.begin() as session:
        return runs.claim_shard(session, run, index, worker=process.name(), source=source, term=worker.term)


def _measure(worker: Worker, assignment: Assignment, progress: Callable[[int], None]) -> tuple[bytes, dict[str, Any]]:
    """The rows as they are stored, and the facts, once JSON can hold them."""
    process.prepare_torch()
    instrument = import_module(f"workers.instruments.{assignment.registration.instrument.name}")
    resources = _resources(worker, assignment)
    seed = partial(seeds.seed, assignment.nonce, assignment.document_sha256)
    measured = instrument.measure(assignment.lease.shard, assignment.registration, seed, resources, progress)
    facts: dict[str, Any] = json.loads(json.dumps(measured.facts, allow_nan=False))
    return rows.encode(measured.rows), facts


def _resources(worker: Worker, assignment: Assignment) -> Resources:
    dataset = assignment.registration.subject.dataset
    pairs = _pairs(worker.ledger, dataset.sha256) if isinstance(dataset, PairsDataset) else ()
    return Resources(pairs=pairs, model_root=worker.model_root)


@lru_cache(maxsize=1)
def _pairs(ledger: Ledger, sha256: str) -> tuple[Pair, ...]:
    """A run's dataset, read once for all of its shards that this process measures."""
    with ledger.begin() as session:
        return datasets.pairs_of(session, sha256).rows


def _keep(ledger: Ledger, assignment: Assignment, body: bytes, facts: dict[str, Any]) -> bool:
    with ledger.begin() as session:
        sha256 = blobs.put(session, body, ROWS)
        return queue.complete(session, assignment.lease, sha256, facts)


def _give_up(ledger: Ledger, assignment: Assignment, failure: str) -> None:
    with ledger.begin() as session:
        runs.give_up_shard(session, assignment.lease, failure)


def _refuse(worker: Worker, assignment: Assignment, refusal: RefusalError) -> None:
    detail, remedy = (public_text(text, worker.model_root) for text in (refusal.detail, refusal.remedy))
    body = Refusal(reason=refusal.reason, detail=detail, remedy=remedy)
    with worker.ledger.begin() as session:
        row = runs.hold(session, assignment.lease.run)
        if row is not None and row.status == "running" and queue.holds(session, assignment.lease):
            judging.record_refusal(session, row, body)


def _patiently(worker: Worker, write: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever `write` gives
    """Write what came of a shard, trying again while the database is away, for as long as a lease lasts."""
    deadline = time.monotonic() + worker.term.total_seconds()
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)


def _failure(model_root: Path | None) -> str:
    """The end of the traceback, whose last line a void run shows."""
    lines = traceback.format_exc().rstrip().splitlines()
    tail = lines if len(lines) <= FAILURE_LINES else ["…", *lines[-FAILURE_LINES:]]
    return public_text("\n".join(tail), model_root)
