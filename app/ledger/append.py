"""The only way into the log: an entry, its projection and what follows from it, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any

from sqlalchemy import func, insert, text
from sqlmodel import Session, select

from app.ledger import contest, projections, tree
from app.ledger.log import entry_of
from app.ledger.tables import EntryRow
from claims.entries import Entry, leaf_hash
from claims.tiles import LONGEST_ENTRY

LOG_LOCK = 0x616E7465_6C6F6721  # "antelog!"
LEDGER = "ledger"  # the actor of what the ledger itself concludes


def lock(session: Session) -> None:
    """Take the log until this transaction ends, so that nobody else appends.

    Everything slow comes before it. Claims are written only under it and runs, shards and blobs are locked before
    it: that order is what keeps two transactions from waiting for each other.
    """
    session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOG_LOCK})


def append(session: Session, type_: str, claim: str | None, actor: str, payload: Mapping[str, Any]) -> Entry:
    """Append one entry, apply it to the projections and return it as it will be read from the log.

    Claims that thereby stand on ground that gave way are marked by `contested` entries after it. Raises
    `claims.lifecycle.IllegalStepError` when the entry cannot follow, ValueError when it is longer than
    `LONGEST_ENTRY`; nothing counts until the transaction commits.
    """
    lock(session)
    entry = _write(session, type_, claim, actor, payload)
    for marked, reason in contest.newly_contested(session, entry):
        _write(session, "contested", marked, LEDGER, reason)
    return entry


def _write(session: Session, type_: str, claim: str | None, actor: str, payload: Mapping[str, Any]) -> Entry:
    # A sequence would leave a gap when a transaction rolls back; under the lock, the next number is simply the next.
    seq, now = session.exec(
        select(func.coalesce(func.max(EntryRow.seq) + 1, 0), func.clock_timestamp()).select_from(EntryRow)
    ).one()
    canonical = Entry(seq, type_, claim, actor, now.astimezone(UTC), payload).canonical()
    if len(canonical) > LONGEST_ENTRY:
        raise ValueError(f"an entry has at most {LONGEST_ENTRY} bytes, not {len(canonical)}: enclose what is large")
    entry, leaf = entry_of(canonical), leaf_hash(canonical)
    session.execute(
        insert(EntryRow).values(
            seq=entry.seq,
            type=entry.type,
            claim=entry.claim,
            actor=entry.actor,
            time=entry.time,
            payload=dict(entry.payload),
            canonical=canonical,
            leaf_hash=leaf,
        )
    )
    tree.grow(session, seq, leaf)
    projections.apply(session, entry)
    return entry
