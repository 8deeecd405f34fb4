"""Making a ledger anew in another database: the truth and what is kept apart copied, everything else from the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql
from sqlalchemy import func
from sqlmodel import Session, col, select

from app.ledger import tree
from app.ledger.append import lock
from app.ledger.audit import Audited, audit
from app.ledger.audit.findings import Progress
from app.ledger.checkpoints import Issued
from app.ledger.database import Ledger
from app.ledger.replaying import ReplayError, Waiting, replay, requeue
from app.ledger.tables import (
    AnchorRow,
    ApiKey,
    Base,
    Blob,
    BlobChunk,
    CheckpointRow,
    EntryRow,
    IdempotentRequest,
    NodeRow,
    Nonce,
    Receipt,
    Registrant,
)

BATCH = 1_000
# The truth with its tree and heads, then what an operator keeps apart; what others refer to comes first.
COPIED: tuple[type[Base], ...] = (
    EntryRow, NodeRow, CheckpointRow, AnchorRow, Blob, BlobChunk,
    Registrant, ApiKey, IdempotentRequest, Nonce, Receipt,
)  # fmt: skip


class UsedDatabaseError(RuntimeError):
    """The database to write to holds something already."""


class DamagedError(RuntimeError):
    """What was made anew does not pass its audit, so nothing of it was kept."""

    def __init__(self, audited: Audited) -> None:
        super().__init__(f"its audit has {audited.count} findings; nothing was written")
        self.audited = audited


@dataclass(frozen=True)
class Rebuilt:
    audited: Audited
    waiting: Waiting


def rebuild(source: Ledger, target: Ledger, vkey: str, remembered: Iterable[Issued], progress: Progress) -> Rebuilt:
    """Make the ledger of `source` anew in `target`, a migrated database with nothing in it, in one transaction.

    Raises `UsedDatabaseError`, `DamagedError`, and `app.ledger.replaying.ReplayError`.
    """
    with target.begin() as new:
        lock(new)
        refuse_used(new, COPIED)
        with one_moment(source) as old:
            for done, table in enumerate(COPIED):
                progress("tables", done, len(COPIED))
                with _refused(table):
                    _copy(old, new, table)
            progress("tables", len(COPIED), len(COPIED))
        replay(new, stored_canonicals(new), tree.size(new), progress)
        waiting = requeue(new)
        audited = audit(new, vkey, remembered, progress)
        left = {f"nonce of run {run}" for run, _ in waiting.lost}
        refuse_damaged(audited, left)
    return Rebuilt(audited, waiting)


def refuse_used(session: Session, tables: Iterable[type[Base]]) -> None:
    for table in tables:
        count = session.exec(select(func.count()).select_from(table)).one()
        if count:
            raise UsedDatabaseError(f"the database has {count} rows in {table.__tablename__}: name one that is empty")


def refuse_damaged(audited: Audited, known: set[str]) -> None:
    """Raises `DamagedError` for findings at any place but the known ones."""
    if audited.count > len(audited.findings) or any(finding.where not in known for finding in audited.findings):
        raise DamagedError(audited)


@contextmanager
def one_moment(ledger: Ledger) -> Iterator[Session]:
    """A transaction that sees the ledger as it is now, whatever is filed meanwhile."""
    with ledger.begin() as session:
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
        yield session


def stored_canonicals(session: Session) -> Iterator[bytes]:
    """The bytes of every entry, in order, a batch at a time."""
    start = 0
    while True:
        query = select(EntryRow.canonical).where(EntryRow.seq >= start).order_by(col(EntryRow.seq)).limit(BATCH)
        found = session.exec(query).all()
        yield from found
        if len(found) < BATCH:
            return
        start += BATCH


def _copy(old: Session, new: Session, table: type[Base]) -> None:
    columns = table.__table__.columns  # type: ignore[attr-defined]  # sqlmodel does not declare it
    names = sql.SQL(", ").join(sql.Identifier(column.name) for column in columns)
    which = sql.SQL("COPY {} ({})").format(sql.Identifier(str(table.__tablename__)), names)
    binary = sql.SQL("{} {} (FORMAT BINARY)")
    with (
        _driver(old).cursor().copy(binary.format(which, sql.SQL("TO STDOUT"))) as out,
        _driver(new).cursor().copy(binary.format(which, sql.SQL("FROM STDIN"))) as into,
    ):
        for block in out:
            into.write(block)


@contextmanager
def _refused(table: type[Base]) -> Iterator[None]:
    """What a constraint of the schema refuses was written by somebody who had taken it away."""
    try:
        yield
    except psycopg.errors.IntegrityError as error:
        raise ReplayError(f"{table.__tablename__} holds a row that the schema refuses: {error}") from error


def _driver(session: Session) -> psycopg.Connection[tuple[object, ...]]:
    """The driver's connection in this transaction: COPY is not SQLAlchemy's."""
    connection = session.connection().connection.driver_connection
    if not isinstance(connection, psycopg.Connection):
        raise TypeError(f"the ledger speaks to Postgres by psycopg, not by {type(connection)}")
    return connection
