"""The work queue: shards of runs, leased to one worker at a time by the database's clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, insert, update
from sqlmodel import Session, col, select

from app.ledger.tables import RunRow, ShardRow
from claims.instruments.manifest import Shard

MOST_ATTEMPTS = 3
CLOCK = func.clock_timestamp()  # a transaction may have waited; now() would be when it began


@dataclass(frozen=True)
class Lease:
    """The right to measure one shard and to write what came of it, as long as `token` is the shard's newest."""

    run: str
    index: int
    token: int
    attempt: int
    label: str
    rows_total: int
    params: Mapping[str, Any]

    @property
    def shard(self) -> Shard:
        return Shard(label=self.label, rows=self.rows_total, params=self.params)


def enqueue(
    session: Session, run: str, queue: str, shards: Sequence[Shard], not_before: datetime | None = None
) -> None:
    """Queue every shard of a run, to be taken no earlier than `not_before`; `outbox.relay` sends their messages."""
    if not shards:
        raise ValueError(f"run {run} has no shard: its instrument's plan is empty")
    session.execute(
        insert(ShardRow),
        [
            {
                "run": run,
                "index": index,
                "queue": queue,
                "label": shard.label,
                "params": dict(shard.params),
                "status": "queued",
                "not_before": not_before,
                "attempts": 0,
                "token": 0,
                "rows_done": 0,
                "rows_total": shard.rows,
            }
            for index, shard in enumerate(shards)
        ],
    )


def take(
    session: Session, run: str, index: int, *, worker: str, source: dict[str, Any], term: timedelta
) -> Lease | None:
    """Lease the shard for `term` if it waits for a worker; None when it does not, so that a message is only a hint.

    The caller holds the run's row.
    """
    taken = session.execute(
        update(ShardRow)
        .where(_is(run, index), free())
        .values(
            status="leased",
            attempts=ShardRow.attempts + 1,
            token=ShardRow.token + 1,
            worker=worker,
            source=source,
            lease_until=CLOCK + term,
            started=CLOCK,
            rows_done=0,
        )
        .returning(ShardRow)
    ).scalar_one_or_none()
    if taken is None:
        return None
    return Lease(run, index, taken.token, taken.attempts, taken.label, taken.rows_total, taken.params)


def free() -> ColumnElement[bool]:
    """Whether a shard may be leased: it waits, or its lease is over, it has attempts left, and its time has come."""
    waits = (col(ShardRow.status) == "queued") | _expired()
    return waits & (col(ShardRow.attempts) < MOST_ATTEMPTS) & due()


def due() -> ColumnElement[bool]:
    """Whether a shard's time has come: its claim is no longer to be forecast."""
    return col(ShardRow.not_before).is_(None) | (col(ShardRow.not_before) <= CLOCK)


def waiting(session: Session, queue: str) -> int:
    """How many shards wait in the queue for a worker, their time having come."""
    waits = (col(ShardRow.queue) == queue) & (col(ShardRow.status) == "queued") & due()
    return session.exec(select(func.count()).select_from(ShardRow).where(waits)).one()


def heartbeat(session: Session, lease: Lease, rows_done: int, term: timedelta) -> bool:
    """Extend the lease and note the progress; False once it is lost, or its run has ended."""
    running = select(RunRow.id).where(RunRow.id == lease.run, RunRow.status == "running").exists()
    return _write(session, lease, running, lease_until=CLOCK + term, rows_done=rows_done)


def complete(session: Session, lease: Lease, rows_sha256: str, facts: dict[str, Any]) -> bool:
    """Keep what was measured; False, and nothing kept, once the lease is lost."""
    return _write(
        session,
        lease,
        status="done",
        lease_until=None,
        finished=CLOCK,
        rows_done=ShardRow.rows_total,
        rows_sha256=rows_sha256,
        facts=facts,
        failure=None,
    )


def release(session: Session, lease: Lease) -> bool:
    """Give the shard back, since this worker shuts down: it is no attempt that counts."""
    return _write(
        session, lease, status="queued", lease_until=None, relayed=None, rows_done=0, attempts=ShardRow.attempts - 1
    )


def fail(session: Session, lease: Lease, failure: str) -> bool:
    """Give the shard back with what went wrong; the attempt counts."""
    return _write(session, lease, status="queued", lease_until=None, relayed=None, rows_done=0, failure=failure)


def holds(session: Session, lease: Lease) -> bool:
    """Whether the lease is still the shard's; if so, the shard is held until the transaction ends."""
    held = select(ShardRow.index).where(*_held(lease)).with_for_update()
    return session.exec(held).one_or_none() is not None


def requeue_expired(session: Session, run: str) -> None:
    """Queue again every shard of the run whose worker has been silent for longer than its lease."""
    silent = func.concat("worker ", ShardRow.worker, " was not heard of again")
    session.execute(
        update(ShardRow)
        .where(col(ShardRow.run) == run, _expired())
        .values(status="queued", lease_until=None, relayed=None, rows_done=0, failure=silent)
    )


def exhausted(session: Session, run: str) -> bool:
    """Whether a shard of the run waits though it has had every attempt."""
    spent = (col(ShardRow.status) == "queued") & (col(ShardRow.attempts) >= MOST_ATTEMPTS)
    return session.exec(select(ShardRow.index).where(ShardRow.run == run, spent).limit(1)).one_or_none() is not None


def shards(session: Session, run: str) -> list[ShardRow]:
    """The run's shards in the order in which their rows are joined."""
    query = select(ShardRow).where(ShardRow.run == run).order_by(col(ShardRow.index))
    return list(session.exec(query.execution_options(populate_existing=True)))


def _is(run: str, index: int) -> ColumnElement[bool]:
    return (col(ShardRow.run) == run) & (col(ShardRow.index) == index)


def _held(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    return _is(lease.run, lease.index), col(ShardRow.status) == "leased", col(ShardRow.token) == lease.token


def _expired() -> ColumnElement[bool]:
    return (col(ShardRow.status) == "leased") & (col(ShardRow.lease_until) < CLOCK)


def _write(session: Session, lease: Lease, *also: ColumnElement[bool], **values: Any) -> bool:  # noqa: ANN401 - columns
    """Change the shard if the lease still holds: a worker that was given up for lost may yet wake up and write."""
    written = session.execute(
        update(ShardRow).where(*_held(lease), *also).values(**values).returning(col(ShardRow.index))
    )
    return written.one_or_none() is not None
