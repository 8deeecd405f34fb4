"""A ledger made again from its log: the projections entry by entry, and the queue for what has not ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Session, col, select

from app.ledger import log, projections, queue
from app.ledger.audit.findings import Progress
from app.ledger.premises import pairs_per_dimension
from app.ledger.projections.store import SqlStore
from app.ledger.tables import ClaimRow, EntryRow, Nonce, RunRow
from claims import forecast_window
from claims.entries import Entry
from claims.instruments import catalogue
from claims.lifecycle import ClaimState
from claims.registration.model import Registration

EVERY = 100
# How an entry shows that nobody wrote it by the rules: illegal, of another shape, naming what is not there.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, IntegrityError, DataError)


class ReplayError(RuntimeError):
    """The ledger cannot be made again from this log by this version; the text says why and what to do."""


@dataclass(frozen=True)
class Waiting:
    """The runs that were queued again, and those that nobody can measure any more, each with the reason."""

    queued: tuple[str, ...]
    lost: tuple[tuple[str, str], ...]


class FromTheBeginning(SqlStore):
    """The tables of a log that is read from its first entry: what a claim has come to is known, not read again."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.states: dict[str, ClaimState] = {}

    def state(self, claim: str, before: int) -> ClaimState | None:
        del before  # entries come in order, so that what is known is what was before
        return self.states.get(claim)


def replay(session: Session, canonicals: Iterable[bytes], size: int, progress: Progress) -> None:
    """Fill empty projections from the whole log, given as its entries' bytes in order.

    Raises `ReplayError` for bytes that are no entry, and for an entry that cannot follow what was before it.
    """
    store = FromTheBeginning(session)
    for seq, canonical in enumerate(canonicals):
        try:
            _apply(store, log.entry_of(canonical))
        except UNREADABLE as error:
            raise ReplayError(f"entry {seq} of the log cannot be replayed: {type(error).__name__}: {error}") from error
        if (seq + 1) % EVERY == 0 or seq + 1 == size:
            progress("projections", seq + 1, size)


def _apply(store: FromTheBeginning, entry: Entry) -> None:
    state = projections.project(store, entry)
    if state is not None and entry.claim is not None:
        store.states[entry.claim] = state


def requeue(session: Session) -> Waiting:
    """Queue every run that has not ended, from its start. Raises `ReplayError` for an open one without its instrument.

    The nonce of an open run is in the log, and kept again; one that is still secret is there or the run is lost.
    """
    queued, lost = [], []
    unended = select(RunRow, ClaimRow.registration).join(ClaimRow, col(ClaimRow.id) == col(RunRow.claim))
    query = unended.where(col(RunRow.status).in_(("queued", "running"))).order_by(col(ClaimRow.seq))
    for run, document in session.exec(query).all():
        if run.status == "running":
            _keep_revealed(session, run)
        why = _why_lost(session, run, Registration.model_validate(document))
        if why is None:
            queued.append(run.id)
        elif run.status == "running":
            raise ReplayError(f"run {run.id} is open, and {why}: use the version of Antedate that opened it")
        else:
            lost.append((run.id, why))
    return Waiting(tuple(queued), tuple(lost))


def _why_lost(session: Session, run: RunRow, registration: Registration) -> str | None:
    """Why the run's shards cannot be queued; None once they are."""
    if session.get(Nonce, run.id) is None:
        return "its nonce is not there"
    chosen = registration.instrument
    instrument = catalogue().get(chosen.name)
    if instrument is None or instrument.MANIFEST.version != chosen.version:
        return f"its instrument, {chosen.name} version {chosen.version}, is not known here"
    shards = instrument.plan(registration, pairs_per_dimension(session, registration))
    not_before = forecast_window.end_of(log.history(session, run.claim)[0])
    queue.enqueue(session, run.id, instrument.MANIFEST.queue, shards, not_before)
    return None


def _keep_revealed(session: Session, run: RunRow) -> None:
    opened = select(EntryRow.payload).where(EntryRow.claim == run.claim, EntryRow.type == "opened")
    nonce = next(payload["nonce"] for payload in session.exec(opened) if payload["run"] == run.id)
    values = {"run": run.id, "nonce": bytes.fromhex(nonce)}
    session.execute(upsert(Nonce).values(values).on_conflict_do_nothing())
