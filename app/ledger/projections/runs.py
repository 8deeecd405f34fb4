"""The runs of a claim, as far as the log tells."""

from __future__ import annotations

from app.ledger.projections.store import Store
from app.ledger.tables import RunRow
from claims.entries import Entry
from claims.lifecycle import ClaimState


def run_id(claim: str, number: int) -> str:
    """A run's name follows from its claim, so that a replay of the log names it alike."""
    return f"{claim}-{number}"


def queue_run(store: Store, entry: Entry, state: ClaimState) -> None:
    row = {"id": run_id(state.id, 1), "claim": state.id, "number": 1, "joins": 0}
    store.insert(RunRow, {**row, "status": "queued", "queued": entry.time})


def open_run(store: Store, entry: Entry, _state: ClaimState) -> None:
    store.update(RunRow, {"id": entry.payload["run"]}, {"status": "running", "opened": entry.time})


def end_run(store: Store, entry: Entry, _state: ClaimState) -> None:
    store.update(RunRow, {"id": entry.payload["run"]}, {"status": entry.payload["state"], "ended": entry.time})


def void_run(store: Store, entry: Entry, _state: ClaimState) -> None:
    """A run that has ended keeps that time; one that nothing was heard of ends here."""
    run = entry.payload["run"]
    store.update(RunRow, {"id": run}, {"status": "voided"})
    store.update(RunRow, {"id": run, "ended": None}, {"ended": entry.time})


def cancel_runs(store: Store, entry: Entry, state: ClaimState) -> None:
    store.update(RunRow, {"claim": state.id, "status": "queued"}, {"status": "cancelled", "ended": entry.time})
