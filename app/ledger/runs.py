"""Runs: opened by the first worker that takes a shard, given up when their workers are lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlmodel import Session, col, func, select

from app.ledger import judging, opening, queue
from app.ledger.database import Ledger
from app.ledger.queue import Lease
from app.ledger.tables import ClaimRow, RunRow, ShardRow
from claims.anchored_round import AnchoredRound
from claims.registration.model import Registration
from claims.seeds import Seeds

SOURCE = "instrument_source_sha256"
OPEN = ("queued", "running")


@dataclass(frozen=True)
class Assignment:
    """A lease with what is to be measured, and the run's seeds."""

    lease: Lease
    claim: str
    registration: Registration
    seeds: Seeds


def hold(session: Session, run: str, *, wait: bool = True) -> RunRow | None:
    """The run's row, locked until the transaction ends; None for no such run, or one that another holds (no wait).

    Held before the log's lock, always: whoever has the log may not wait for a run.
    """
    query = select(RunRow).where(RunRow.id == run).with_for_update(skip_locked=not wait)
    return session.exec(query.execution_options(populate_existing=True)).one_or_none()


def claim_shard(
    session: Session,
    run: str,
    index: int,
    *,
    worker: str,
    source: dict[str, Any],
    term: timedelta,
    beacon: AnchoredRound | None = None,
    patience: timedelta | None = None,
) -> Assignment | None:
    """Take a shard to measure it, opening the run if it is the first; None when there is nothing to do (yet).

    `source` is the code that will measure, with `instrument_source_sha256`; a run whose earlier shards were measured
    by another instrument source is void, `code_drift`. `beacon` is the round to open with, checked by the caller; a
    run without one is not opened before it has been queued for `patience`, if its data is to be generated.
    """
    row = hold(session, run)
    if row is None or row.status not in OPEN:
        return None
    opened_with = _earlier_source(session, run)
    if opened_with not in {None, source[SOURCE]}:
        judging.record_void(session, row, "code_drift", {"opened_with": opened_with, "found": source[SOURCE]})
        return None
    if beacon is None and opening.waits(session, row, patience):
        opening.ask_again(session, row)
        return None
    lease = queue.take(session, run, index, worker=worker, source=source, term=term)
    return None if lease is None else _assigned(session, row, lease, beacon)


def _assigned(session: Session, run: RunRow, lease: Lease, beacon: AnchoredRound | None) -> Assignment:
    if run.status == "queued":
        opening.open_run(session, run, opening.nonce_of(session, run.id), beacon)
    registration = judging.registration_of(session, run)
    return Assignment(lease, run.claim, registration, opening.seeds_of(session, run.claim, run.id))


def expire(ledger: Ledger) -> None:
    """Queue again what silent workers held; void, `worker_lost`, the runs that have had every attempt."""
    for run in _troubled(ledger):
        with ledger.begin() as session:
            row = hold(session, run, wait=False)
            if row is not None and row.status == "running":
                queue.requeue_expired(session, run)
                void_if_exhausted(session, row)


def give_up_shard(session: Session, lease: Lease, failure: str) -> None:
    """Return a shard whose measuring failed; the last attempt's failure voids the run."""
    row = hold(session, lease.run)
    if row is not None and queue.fail(session, lease, failure) and row.status == "running":
        void_if_exhausted(session, row)


def void_if_exhausted(session: Session, run: RunRow) -> None:
    """Void the run, `worker_lost`, if one of its shards has had every attempt. The caller holds the run."""
    if queue.exhausted(session, run.id):
        judging.record_void(session, run, "worker_lost", _known_of(queue.shards(session, run.id)))


def awaited_instrument(session: Session, run: str, index: int) -> str | None:
    """The instrument that the shard waits for; None when there is nothing to do. A glance: only a lease is certain."""
    query = (
        select(ClaimRow.instrument)
        .join(RunRow, col(RunRow.claim) == col(ClaimRow.id))
        .join(ShardRow, col(ShardRow.run) == col(RunRow.id))
        .where(RunRow.id == run, ShardRow.index == index, col(RunRow.status).in_(OPEN), queue.free())
    )
    return session.exec(query).one_or_none()


def _troubled(ledger: Ledger) -> list[str]:
    expired = (col(ShardRow.status) == "leased") & (col(ShardRow.lease_until) < func.clock_timestamp())
    spent = (col(ShardRow.status) == "queued") & (col(ShardRow.attempts) >= queue.MOST_ATTEMPTS)
    with ledger.begin() as session:
        query = select(ShardRow.run).join(RunRow).where(RunRow.status == "running", expired | spent).distinct()
        return list(session.exec(query))


def _earlier_source(session: Session, run: str) -> str | None:
    """The instrument source of the run's shards so far; None before the first lease."""
    sources = [shard.source[SOURCE] for shard in queue.shards(session, run) if shard.source is not None]
    return sources[0] if sources else None


def _known_of(shards: list[ShardRow]) -> dict[str, Any]:
    """What is known of a lost run: how far it came, who had it last and what went wrong."""
    spent = next(shard for shard in shards if shard.status == "queued" and shard.attempts >= queue.MOST_ATTEMPTS)
    return {
        "shards_done": sum(shard.status == "done" for shard in shards),
        "shards": len(shards),
        "rows_done": sum(shard.rows_done for shard in shards),
        "rows": sum(shard.rows_total for shard in shards),
        "shard": spent.label,
        "attempts": spent.attempts,
        "worker": spent.worker,
        "failure": (spent.failure or "").strip().rpartition("\n")[2],
    }
