"""Signed heads of the tree: issued as the log grows, kept for ever, and written outside the database as well."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, col, select

from app.ledger import tree
from app.ledger.database import Ledger
from app.ledger.signing import Signing
from app.ledger.tables import AnchorRow, CheckpointRow
from claims import checkpoint, merkle
from claims.checkpoint import Checkpoint
from claims.entries import format_time, parse_time

LONGEST_COPIES = 64 * 1024  # bytes: a copy has some hundreds


class ForkedLogError(RuntimeError):
    """The log is not the one that was signed before; nothing more is signed until an operator has looked."""


@dataclass(frozen=True)
class Issued:
    """A checkpoint as published: `note` carries our own signature alone."""

    size: int
    root: bytes
    note: str
    time: datetime


def newest(session: Session) -> Issued | None:
    return _one(session, select(CheckpointRow).order_by(col(CheckpointRow.size).desc()).limit(1))


def at(session: Session, size: int) -> Issued | None:
    """The checkpoint of exactly this size."""
    return _one(session, select(CheckpointRow).where(CheckpointRow.size == size))


def covering(session: Session, seq: int) -> Issued | None:
    """The first checkpoint whose tree holds the entry at `seq`."""
    query = select(CheckpointRow).where(CheckpointRow.size > seq).order_by(col(CheckpointRow.size)).limit(1)
    return _one(session, query)


def cosignatures(session: Session, size: int) -> list[str]:
    """The signature lines of the witnesses that have cosigned the checkpoint of this size, by name."""
    query = select(AnchorRow.body).where(AnchorRow.size == size, AnchorRow.kind == "witness")
    return [body.decode() for body in session.exec(query.order_by(col(AnchorRow.name)))]


def vouching(session: Session, size: int) -> list[str]:
    """Who outside vouches for the checkpoint of this size: witnesses and timestamp authorities, by name."""
    return list(session.exec(select(AnchorRow.name).where(AnchorRow.size == size).order_by(col(AnchorRow.name))))


def issue(session: Session, signing: Signing) -> Issued | None:
    """The checkpoint of the log as this transaction sees it, signed and stored if it is new; None for an empty log.

    Raises `ForkedLogError` when the tree does not continue the newest checkpoint.
    """
    # In this order: others may append and sign between the two questions, and a log only grows.
    last = newest(session)
    size = tree.size(session)
    if last is not None and last.size == size:
        return last
    if last is not None and last.size > size:
        raise ForkedLogError(f"the log has {size} entries, and a checkpoint over {last.size} was signed")
    if size == 0:
        return None
    read = tree.reader(session)
    if last is not None and merkle.root(last.size, read) != last.root:
        raise ForkedLogError(f"the first {last.size} entries are not those that were signed")
    root = merkle.root(size, read)
    note = checkpoint.sign(Checkpoint(signing.name, size, root), signing.name, signing.key)
    values = {"size": size, "root": root, "note": note, "time": func.clock_timestamp()}
    session.execute(upsert(CheckpointRow).values(values).on_conflict_do_nothing())
    return at(session, size)  # another process may have been first: the one that is stored is the one that counts


def issue_beside(session: Session, signing: Signing, kept: Issued | None) -> Issued | None:
    """What `issue` gives; raises `ForkedLogError` also where the log is not the one of `kept`, the newest copy outside.

    The copy is read before: a log only grows.
    """
    _refuse_other_history(session, kept)
    return issue(session, signing)


def other_history(session: Session, file: Path) -> str | None:
    """In words, that the log is not the one whose heads were signed and kept; None where nothing says so."""
    try:
        _refuse_other_history(session, newest_copy(file))
        _refuse_other_history(session, newest(session))
    except ForkedLogError as error:
        return str(error)
    return None


def _one(session: Session, query: object) -> Issued | None:
    row = session.exec(query).one_or_none()  # type: ignore[call-overload]
    return None if row is None else Issued(row.size, row.root, row.note, row.time)


def publish(ledger: Ledger, signing: Signing, file: Path) -> Issued | None:
    """Issue the newest checkpoint, unless the outside copy contradicts it, and write what the copy lacks of it.

    Called by one process at a time (the clock's). Raises `ForkedLogError` when the file remembers another history,
    such as that of a database since restored from an older backup.
    """
    kept = newest_copy(file)
    with ledger.begin() as session:
        last = issue_beside(session, signing, kept)
        known = 0 if kept is None else kept.size
        query = select(CheckpointRow).where(CheckpointRow.size > known).order_by(col(CheckpointRow.size))
        new = [Issued(row.size, row.root, row.note, row.time) for row in session.exec(query)]
    _append(file, new)
    return last


def read_copies(file: Path) -> Iterator[Issued]:
    """The checkpoints that the file remembers, one JSON object a line, in the order in which they were written.

    A last line that a crash has cut short was never relied on and is left out; raises ValueError for any other.
    """
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield _copy(line)


def newest_copy(file: Path) -> Issued | None:
    """The last that the file remembers. The file grows for ever, so no more than its end is read."""
    if not file.exists():
        return None
    with file.open("rb") as opened:
        start = max(0, opened.seek(0, os.SEEK_END) - LONGEST_COPIES)
        opened.seek(start)
        *whole, _ = opened.read().split(b"\n")
    if start and not whole:
        raise ValueError(f"the last {LONGEST_COPIES} bytes of {file} are no line of it")
    return _copy(whole[-1]) if whole else None


def _copy(line: str | bytes) -> Issued:
    kept = json.loads(line)
    root = base64.b64decode(kept["root"], validate=True)
    return Issued(kept["size"], root, kept["note"], parse_time(kept["time"]))


def _refuse_other_history(session: Session, last: Issued | None) -> None:
    if last is None:
        return
    size = tree.size(session)
    if size < last.size:
        raise ForkedLogError(f"the log has {size} entries, and a checkpoint over {last.size} was published")
    if merkle.root(last.size, tree.reader(session)) != last.root:
        raise ForkedLogError(f"the first {last.size} entries are not those that were published")


def _append(file: Path, new: list[Issued]) -> None:
    if not new:
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lines = [
        {"size": one.size, "root": base64.b64encode(one.root).decode(), "note": one.note, "time": format_time(one.time)}
        for one in new
    ]
    whole = "".join(json.dumps(line) + "\n" for line in lines)
    with file.open("a+b") as opened:
        _drop_cut_line(opened.fileno())
        opened.write(whole.encode())
        opened.flush()
        os.fsync(opened.fileno())


def _drop_cut_line(descriptor: int) -> None:
    """End the file after its last whole line: a crash may have cut the one behind it."""
    size = os.fstat(descriptor).st_size
    start = max(0, size - LONGEST_COPIES)
    ended = os.pread(descriptor, size - start, start).rfind(b"\n") + 1
    if start and not ended:
        raise ValueError(f"the last {LONGEST_COPIES} bytes of the file of checkpoints end no line of it")
    os.ftruncate(descriptor, start + ended)
