"""Taking up a run whose shards are all done, to judge it: whose turn it is, and how often it was tried."""

from __future__ import annotations

from sqlalchemy import Exists, update
from sqlmodel import Session, col, select

from app.ledger import judging
from app.ledger.queue import MOST_ATTEMPTS
from app.ledger.runs import hold
from app.ledger.tables import RunRow, ShardRow

UNHEARD = "the worker that judged it was not heard of again"


def ready(session: Session) -> list[str]:
    """The running runs whose shards are all done, so that nothing is left but to judge them."""
    return list(session.exec(select(RunRow.id).where(RunRow.status == "running", ~_unfinished())))


def take_up(session: Session, run: str) -> bool:
    """Count one more try at judging the run; False when it is not for judging, or another has it right now.

    A run that was tried as often as a shard may be is void, `worker_lost`.
    """
    row = joinable(session, run)
    if row is None:
        return False
    if row.joins >= MOST_ATTEMPTS:
        _void(session, row, row.failure or UNHEARD)
        return False
    session.execute(update(RunRow).where(col(RunRow.id) == run).values(joins=RunRow.joins + 1))
    return True


def joinable(session: Session, run: str) -> RunRow | None:
    """The run, held, if it is running, all of its shards are done and nobody else holds it."""
    row = hold(session, run, wait=False)
    if row is None or row.status != "running":
        return None
    unfinished = session.exec(select(RunRow.id).where(RunRow.id == run, _unfinished())).one_or_none()
    return row if unfinished is None else None


def note_failure(session: Session, run: str, failure: str) -> None:
    """Keep what went wrong in judging the run; the last try's failure voids it."""
    row = joinable(session, run)
    if row is not None:
        session.execute(update(RunRow).where(col(RunRow.id) == run).values(failure=failure))
        if row.joins >= MOST_ATTEMPTS:
            _void(session, row, failure)


def _void(session: Session, row: RunRow, failure: str) -> None:
    judging.record_void(session, row, "worker_lost", {"judging": row.joins, "failure": failure})


def _unfinished() -> Exists:
    return select(ShardRow.run).where(ShardRow.run == RunRow.id, ShardRow.status != "done").exists()
