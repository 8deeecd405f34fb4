"""From the queue in the database to messages: a message is only a hint that a shard waits."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Protocol

from sqlalchemy import ColumnElement, false, func, update
from sqlmodel import Session, col, select

from app.ledger.database import Ledger
from app.ledger.queue import CLOCK, MOST_ATTEMPTS, due
from app.ledger.tables import RunRow, ShardRow

MOST_AT_ONCE = 200
SOONEST = timedelta(seconds=10)
LATEST = timedelta(minutes=5)


class Send(Protocol):
    """Sends the message that shard `index` of `run` waits on `queue`; raises when the broker cannot be reached."""

    def __call__(self, run: str, index: int, queue: str) -> None: ...


def relay(
    ledger: Ledger,
    send: Send,
    *,
    run: str | None = None,
    held: Collection[str] = (),
    patience: timedelta | None = None,
) -> int:
    """Send a message for every shard (of `run`, or of all) that may be taken and has none underway; returns how many.

    The runs in `held` wait for something else, at most `patience` from when they were queued. Several relays share
    the work. When `send` raises, the shards stay due and the exception goes on.
    """
    with ledger.begin() as session:
        unsent = _unsent(session, run, _held(held, patience))
        for shard in unsent:
            send(shard.run, shard.index, shard.queue)
            which = (col(ShardRow.run) == shard.run) & (col(ShardRow.index) == shard.index)
            session.execute(update(ShardRow).where(which).values(relayed=CLOCK))
    return len(unsent)


def _held(runs: Collection[str], patience: timedelta | None) -> ColumnElement[bool]:
    if not runs or patience is None:
        return false()
    return col(RunRow.id).in_(runs) & (col(RunRow.queued) + patience > CLOCK)


def _unsent(session: Session, run: str | None, held: ColumnElement[bool]) -> list[ShardRow]:
    query = (
        select(ShardRow)
        .join(RunRow)
        .where(
            ShardRow.status == "queued",
            ShardRow.attempts < MOST_ATTEMPTS,
            due(),
            col(RunRow.status).in_(("queued", "running")),
            col(ShardRow.relayed).is_(None) | _overdue(),
            ~held,
        )
        .order_by(col(RunRow.queued), col(ShardRow.run), col(ShardRow.index))
        .limit(MOST_AT_ONCE)
        .with_for_update(of=ShardRow, skip_locked=True)
    )
    return list(session.exec(query if run is None else query.where(ShardRow.run == run)))


def _overdue() -> ColumnElement[bool]:
    """A message may be lost, or wait behind others: ask again, ever more seldom, so that they do not pile up."""
    waited = col(ShardRow.relayed) - func.coalesce(ShardRow.not_before, RunRow.queued)
    return col(ShardRow.relayed) + func.least(LATEST, func.greatest(SOONEST, waited)) < CLOCK
