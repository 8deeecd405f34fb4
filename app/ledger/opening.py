"""Opening a run: the nonce is revealed, and the beacon round that its claim waited for, if any, is mixed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, update
from sqlmodel import Session, col, select

from app.ledger import anchors
from app.ledger.append import append
from app.ledger.queue import CLOCK
from app.ledger.tables import ClaimRow, EntryRow, Nonce, RunRow, ShardRow
from claims.anchored_round import Anchor, AnchoredRound
from claims.seeds import Seeds, seeds_once_opened

OPENER = "worker"
AWAITS = "committed"  # the precedence that an anchored round raises
MOST_AT_ONCE = 2000


@dataclass(frozen=True)
class Unopened:
    """A queued run whose data is to be generated; `anchor` is the one that settles its round, once there is one."""

    run: str
    anchor: Anchor | None


def unopened(session: Session, run: str | None = None) -> list[Unopened]:
    """The runs (or the one) that a beacon round may still be mixed into, those first that may be opened first."""
    first = select(ShardRow.not_before).where(ShardRow.run == RunRow.id, ShardRow.index == 0).scalar_subquery()
    query = (
        select(RunRow.id, ClaimRow.seq)
        .join(ClaimRow, col(ClaimRow.id) == col(RunRow.claim))
        .where(RunRow.status == "queued", ClaimRow.precedence == AWAITS)
        .order_by(func.coalesce(first, RunRow.queued), col(RunRow.id))
        .limit(MOST_AT_ONCE)
    )
    found = session.exec(query if run is None else query.where(RunRow.id == run)).all()
    beyond = anchors.covering(session, min(seq for _, seq in found)) if found else []
    return [Unopened(id_, next((one for one in beyond if one.size > seq), None)) for id_, seq in found]


def waits(session: Session, run: RunRow, patience: timedelta | None) -> bool:
    """Whether the run is still to wait for its round, at most `patience` from when it was queued; None never waits."""
    if patience is None or run.status != "queued":
        return False
    precedence, now = session.exec(select(ClaimRow.precedence, CLOCK).where(ClaimRow.id == run.claim)).one()
    return precedence == AWAITS and now < run.queued + patience


def ask_again(session: Session, run: RunRow) -> None:
    """Have messages sent again for the shards of a run that was not opened."""
    waiting = (col(ShardRow.run) == run.id) & (col(ShardRow.status) == "queued")
    session.execute(update(ShardRow).where(waiting).values(relayed=None))


def open_run(session: Session, run: RunRow, nonce: bytes, beacon: AnchoredRound | None) -> None:
    """Append `opened`. The caller holds the run, and has had the round's signature checked."""
    mixed = None if beacon is None else beacon.as_payload()
    append(session, "opened", run.claim, OPENER, {"run": run.id, "nonce": nonce.hex(), "beacon": mixed})


def nonce_of(session: Session, run: str) -> bytes:
    return session.exec(select(Nonce.nonce).where(Nonce.run == run)).one()


def seeds_of(session: Session, claim: str, run: str) -> Seeds:
    """The seeds of an opened run of the claim, as its `opened` entry gives them: a retry reads what the first wrote."""
    document_sha256 = session.exec(select(ClaimRow.document_sha256).where(ClaimRow.id == claim)).one()
    query = select(EntryRow.payload).where(EntryRow.claim == claim, EntryRow.type == "opened")
    opened = next(payload for payload in session.exec(query) if payload["run"] == run)
    return seeds_once_opened(opened, document_sha256)
