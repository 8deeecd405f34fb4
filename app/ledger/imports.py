"""Published results of others: on the ledger on somebody's word, beside the claims and never among them."""

from __future__ import annotations

import secrets

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.ledger import cursors
from app.ledger.append import append, lock
from app.ledger.errors import AlreadyImportedError
from app.ledger.filing import ID_ALPHABET, ID_LENGTH
from app.ledger.inline import enclose
from app.ledger.tables import ImportRow
from claims.flaws import Flaw, RefusedInputError, pointer
from claims.imports import ReadRecord, Replacement

REPLACED = pointer("replaces", "record")


def put(session: Session, read: ReadRecord, registrant: str) -> ImportRow:
    """Put a record on the ledger, on the word of `registrant`; it replaces the one that it names, if it does.

    Raises `AlreadyImportedError` for a record that is there already, and `RefusedInputError` where the record that it
    would replace is not there, somebody else's, or replaced already.
    """
    _refuse_duplicate(session, read)
    payload = {"record": enclose(session, read.document, read.canonical), "document_sha256": read.sha256}
    # From here on nobody else appends: what depends on others is asked, some of it again.
    lock(session)
    _refuse_duplicate(session, read)
    if read.record.replaces is not None:
        _check_replaced(session, read.record.replaces, registrant)
    record = "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))
    append(session, "imported", record, registrant, payload)
    return session.get_one(ImportRow, record)


def find(session: Session, record: str) -> ImportRow | None:
    return session.exec(select(ImportRow).where(ImportRow.id == record)).one_or_none()


def newest(session: Session, *, cursor: str | None, limit: int) -> cursors.Page[ImportRow]:
    """The records, the newest first. Raises `claims.flaws.RefusedInputError` for a cursor that is none."""
    query = select(ImportRow).order_by(col(ImportRow.seq).desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(col(ImportRow.seq) < cursors.decode(cursor))
    found = session.exec(query).all()
    return cursors.Page(found[:limit], cursors.encode(found[limit - 1].seq) if len(found) > limit else None)


def count(session: Session) -> int:
    return session.exec(select(func.count()).select_from(ImportRow)).one()


def beside(session: Session, row: ImportRow) -> tuple[ImportRow | None, ImportRow | None]:
    """The record that `row` replaced, and the one that replaced it."""
    replaces = row.record.get("replaces")
    older = find(session, replaces["record"]) if replaces else None
    newer = find(session, row.superseded_by) if row.superseded_by else None
    return older, newer


def _refuse_duplicate(session: Session, read: ReadRecord) -> None:
    first = session.exec(select(ImportRow.id).where(ImportRow.document_sha256 == read.sha256)).one_or_none()
    if first is not None:
        raise AlreadyImportedError(first)


def _check_replaced(session: Session, replaces: Replacement, registrant: str) -> None:
    replaced = find(session, replaces.record)
    if replaced is None:
        detail = f"there is no imported record {replaces.record} on this ledger"
        raise RefusedInputError(Flaw(REPLACED, "unknown_import", detail, "Name a record by its id."))
    if replaced.registrant != registrant:
        detail = f"the record {replaced.id} is somebody else's"
        remedy = "Name a record of your own, or import yours beside it."
        raise RefusedInputError(Flaw(REPLACED, "not_your_import", detail, remedy))
    if replaced.superseded_by is not None:
        detail = f"the record {replaced.id} is replaced by {replaced.superseded_by} already"
        raise RefusedInputError(Flaw(REPLACED, "import_superseded", detail, "Replace the one that replaced it."))
