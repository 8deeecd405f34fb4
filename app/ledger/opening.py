"""Opening a run: the nonce is revealed, and the beacon round that its claim waited for, if any, is mixed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import update
from sqlmodel import Session, col, select

from app.ledger import anchors
from app.ledger.append import append
from app.ledger.queue import CLOCK
from app.ledger.tables import ClaimRow, EntryRow, Nonce, RunRow, ShardRow
from claims import anchored_round
from claims.anchored_round import Anchor, AnchoredRound

OPENER = "worker"
AWAITS = "committed"  # the precedence that an anchored round raises
MOST_AT_ONCE = 2000


@dataclass(frozen=True)
class Unopened:
    """A queued run whose data is to be generated; `anchor` is the one that settles its round, once there is one."""

    run: str
    anchor: Anchor | None


def unopened(session: Session, run: str | None = None) -> list[Unopened]:
    """The runs (or the one) that a beacon round may still be mixed into, in the order in which they were queued."""
    query = (
        select(RunRow.id, ClaimRow.seq)
        .join(ClaimRow, col(ClaimRow.id) == col(RunRow.claim))
        .where(RunRow.status == "queued", ClaimRow.precedence == AWAITS)
        .order_by(col(RunRow.queued), col(RunRow.id))
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


def randomness_of(session: Session, run: RunRow) -> bytes:
    """What the beacon adds to the seeds of an opened run: 32 bytes, or none. A retry reads what the first one wrote."""
    query = select(EntryRow.payload).where(EntryRow.claim == run.claim, EntryRow.type == "opened")
    beacon = next(payload["beacon"] for payload in session.exec(query) if payload["run"] == run.id)
    return b"" if beacon is None else anchored_round.read(beacon).randomness
