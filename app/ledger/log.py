"""Reading the append-only log."""

from __future__ import annotations

import json

from sqlmodel import Session, col, select

from app.ledger.tables import EntryRow
from claims.entries import Entry


def entry_of(canonical: bytes) -> Entry:
    """The entry that these canonical bytes are; JSONB would have changed the spelling of its numbers."""
    return Entry.from_object(json.loads(canonical))


def newest(session: Session, limit: int) -> list[Entry]:
    """The last `limit` entries of the log, the newest first."""
    query = select(EntryRow.canonical).order_by(col(EntryRow.seq).desc()).limit(limit)
    return [entry_of(canonical) for canonical in session.exec(query)]


def history(session: Session, claim: str, *, before: int | None = None) -> list[Entry]:
    """The claim's entries in order of seq; with `before`, only those below that seq."""
    query = select(EntryRow.canonical).where(EntryRow.claim == claim).order_by(EntryRow.seq)  # type: ignore[arg-type]
    if before is not None:
        query = query.where(EntryRow.seq < before)
    return [entry_of(canonical) for canonical in session.exec(query)]


def between(session: Session, start: int, count: int) -> list[Entry]:
    """Up to `count` entries from seq `start` on, in order."""
    return [entry_of(canonical) for canonical in canonicals(session, start, count)]


def canonicals(session: Session, start: int, count: int) -> list[bytes]:
    """The bytes of up to `count` entries from seq `start` on, in order."""
    query = select(EntryRow.canonical).where(EntryRow.seq >= start).order_by(col(EntryRow.seq)).limit(count)
    return list(session.exec(query))
