"""One shard, from the message that hints at it to its rows on the ledger."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.ledger import blobs, datasets, queue, runs
from app.ledger.database import Ledger
from app.ledger.runs import Assignment
from claims.evidence import Refusal
from claims.pairs import Pairs
from claims.registration.model import PairsDataset, Registration
from workers import beacons, process, row_file
from workers.beacons import Rounds
from workers.free_memory import InsufficientMemoryError
from workers.heartbeat import Heartbeat, LeaseLostError
from workers.measurement import measure_into
from workers.outcome import Outcome
from workers.public_text import public_text
from workers.refusals import RefusalError
from workers.resources import Progress, Resources
from workers.row_file import RowFiles
from workers.source import source_here

FAILURE_LINES = 20
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Worker:
    """What a worker measures with: its ledger, its models and how long it may be silent.

    With `rounds`, runs whose data is generated wait `patience` for their round of the beacon.
    """

    ledger: Ledger
    model_root: Path | None
    term: timedelta
    rounds: Rounds | None = None
    patience: timedelta | None = None


def measure_shard(worker: Worker, run: str, index: int) -> str | None:
    """Measure the shard if it waits for a worker; returns the run's id once the shard is done, else None."""
    assignment = _take(worker, run, index)
    if assignment is None:
        return None
    outcome = Outcome(worker.ledger, assignment.lease, worker.term)
    try:
        with row_file.temporary() as files:
            with Heartbeat(worker.ledger, assignment.lease, worker.term) as heartbeat:
                facts = _measure(worker, assignment, heartbeat.progress, files)
            kept = outcome.keep(files, facts)
    except LeaseLostError as lost:
        log.info("%s", lost)
        return None
    except RefusalError as refusal:
        outcome.refuse(_told(refusal, worker.model_root))
        return None
    except (blobs.BlobError, InsufficientMemoryError) as cause:
        outcome.void(*_void(assignment.registration, cause))
        return None
    except Exception:
        failure = _failure(worker.model_root)
        log.exception("measuring shard %d of run %s failed", index, run)
        outcome.give_up(failure)
        return None
    except BaseException:  # the process is told to end: another one takes the shard from here
        with worker.ledger.begin() as session:
            queue.release(session, assignment.lease)
        raise
    return run if kept else None


def _take(worker: Worker, run: str, index: int) -> Assignment | None:
    with worker.ledger.begin() as session:
        instrument = runs.awaited_instrument(session, run, index)
    if instrument is None:
        return None
    source = source_here(instrument)
    beacon = None if worker.rounds is None else beacons.round_for(worker.ledger, worker.rounds, run)
    with worker.ledger.begin() as session:
        return runs.claim_shard(
            session,
            run,
            index,
            worker=process.name(),
            source=source,
            term=worker.term,
            beacon=beacon,
            patience=worker.patience,
        )


def _measure(worker: Worker, assignment: Assignment, progress: Progress, files: RowFiles) -> dict[str, Any]:
    registration, shard = assignment.registration, assignment.lease.shard
    pairs = _pairs(worker.ledger, registration)
    resources = Resources.of(registration, pairs, worker.model_root)
    return measure_into(files, shard, registration, assignment.seeds, resources, progress)


def _pairs(ledger: Ledger, registration: Registration) -> Pairs | None:
    """The pairs to measure; None for a generated dataset. Raises `BlobError` for pairs that are missing or damaged."""
    dataset = registration.subject.dataset
    return _pairs_of(ledger, dataset.sha256) if isinstance(dataset, PairsDataset) else None


@lru_cache(maxsize=1)
def _pairs_of(ledger: Ledger, sha256: str) -> Pairs:
    """A run's dataset, read once for all of its shards that this process measures."""
    with ledger.begin() as session:
        return datasets.pairs_of(session, sha256)


def _void(registration: Registration, cause: blobs.BlobError | InsufficientMemoryError) -> tuple[str, dict[str, Any]]:
    """The reason of `claims.verdict.voids`, and the figures."""
    if isinstance(cause, InsufficientMemoryError):
        return "insufficient_memory", {"need_bytes": cause.need, "have_bytes": cause.have}
    dataset = registration.subject.dataset
    frozen = dataset.sha256 if isinstance(dataset, PairsDataset) else None
    return "dataset_differs", {"frozen": frozen, "measured": None, "failure": str(cause)}


def _told(refusal: RefusalError, model_root: Path | None) -> Refusal:
    detail, remedy = (public_text(text, model_root) for text in (refusal.detail, refusal.remedy))
    return Refusal(reason=refusal.reason, detail=detail, remedy=remedy)


def _failure(model_root: Path | None) -> str:
    """The end of the traceback, whose last line a void run shows."""
    lines = traceback.format_exc().rstrip().splitlines()
    tail = lines if len(lines) <= FAILURE_LINES else ["…", *lines[-FAILURE_LINES:]]
    return public_text("\n".join(tail), model_root)
