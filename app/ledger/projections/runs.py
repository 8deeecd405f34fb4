"""The runs of a claim, as far as the log tells."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, insert, update
from sqlmodel import Session, col

from app.ledger.tables import RunRow
from claims.entries import Entry
from claims.lifecycle import ClaimState


def run_id(claim: str, number: int) -> str:
    """A run's name follows from its claim, so that a replay of the log names it alike."""
    return f"{claim}-{number}"


def queue_run(session: Session, entry: Entry, state: ClaimState) -> None:
    row = {"id": run_id(state.id, 1), "claim": state.id, "number": 1, "joins": 0}
    session.execute(insert(RunRow).values(**row, status="queued", queued=entry.time))


def open_run(session: Session, entry: Entry, _state: ClaimState) -> None:
    _set(session, entry, status="running", opened=entry.time)


def end_run(session: Session, entry: Entry, _state: ClaimState) -> None:
    _set(session, entry, status=entry.payload["state"], ended=entry.time)


def void_run(session: Session, entry: Entry, _state: ClaimState) -> None:
    _set(session, entry, status="voided", ended=func.coalesce(col(RunRow.ended), entry.time))


def cancel_runs(session: Session, entry: Entry, state: ClaimState) -> None:
    waiting = (col(RunRow.claim) == state.id) & (col(RunRow.status) == "queued")
    session.execute(update(RunRow).where(waiting).values(status="cancelled", ended=entry.time))


def _set(session: Session, entry: Entry, **values: Any) -> None:  # noqa: ANN401 - column values
    session.execute(update(RunRow).where(col(RunRow.id) == entry.payload["run"]).values(**values))
