"""Putting the ledger of an archive into an empty database: all of it, audited, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, BinaryIO

from sqlalchemy import insert
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Session, col, select

from app.ledger import blobs, tree
from app.ledger.append import lock
from app.ledger.archive import members
from app.ledger.archive.members import ArchiveError
from app.ledger.archive.reading import Archive, anchor_of, checkpoint_of, receipt_of
from app.ledger.archive.secret_file import read_secrets
from app.ledger.audit import Audited, audit
from app.ledger.audit.findings import Progress
from app.ledger.checkpoints import Issued
from app.ledger.database import Ledger
from app.ledger.log import entry_of
from app.ledger.rebuilding import refuse_damaged, refuse_used, stored_canonicals
from app.ledger.replaying import Waiting, replay, requeue
from app.ledger.tables import AnchorRow, Base, Blob, CheckpointRow, EntryRow, NodeRow, Nonce, Receipt
from claims import merkle
from claims.entries import leaf_hash

BATCH = 1_000
LEDGER: tuple[type[Base], ...] = (EntryRow, NodeRow, CheckpointRow, AnchorRow, Blob, Receipt, Nonce)
Row = dict[str, Any]


@dataclass(frozen=True)
class Imported:
    """What the import came to; `vkey` is the key that the ledger was signed by until now."""

    audited: Audited
    waiting: Waiting
    vkey: str


def import_ledger(
    ledger: Ledger, archive: Archive, secrets: BinaryIO | None, remembered: Iterable[Issued], progress: Progress
) -> Imported:
    """Write the archive's ledger in one transaction, which commits only what passes its audit.

    `remembered` are heads of this log that were kept here. Without its secrets, claims that wait can never be opened.
    Raises `ArchiveError`, and what `app.ledger.rebuilding.rebuild` raises.
    """
    try:
        with ledger.begin() as session:
            lock(session)
            refuse_used(session, LEDGER)
            return _import(session, archive, secrets, remembered, progress)
    except (DataError, IntegrityError) as error:
        raise ArchiveError(f"it holds a value that no ledger has: {error.orig}") from error


def _import(
    session: Session, archive: Archive, secrets: BinaryIO | None, remembered: Iterable[Issued], progress: Progress
) -> Imported:
    _put_blobs(session, archive, progress)
    _put_entries(session, archive, progress)
    heads = archive.each(members.CHECKPOINTS, checkpoint_of)
    _insert(session, CheckpointRow, map(asdict, heads))
    _insert(session, AnchorRow, archive.each(members.ANCHORS, anchor_of))
    _insert(session, Receipt, archive.each(members.RECEIPTS, receipt_of))
    if secrets is not None:
        read_secrets(session, archive.about, secrets)
    replay(session, stored_canonicals(session), archive.about.size, progress)
    waiting = requeue(session)
    audited = audit(session, archive.vkey, remembered, progress)
    if (audited.size, audited.root) != (archive.about.size, archive.about.root):
        raise ArchiveError(f"its entries are not those that {members.ABOUT} speaks of")
    refuse_damaged(audited, {f"nonce of run {run}" for run, _ in waiting.lost})
    return Imported(audited, waiting, archive.vkey)


def _put_blobs(session: Session, archive: Archive, progress: Progress) -> None:
    for done, (sha256, (size, media_type)) in enumerate(archive.blobs.items(), start=1):
        with archive.blob(sha256) as file:
            found = blobs.put(session, file, media_type)
        if (found, blobs.size(session, found)) != (sha256, size):
            raise ArchiveError(f"blob {sha256} holds other bytes than its name and size say")
        progress("blobs", done, len(archive.blobs))


def _put_entries(session: Session, archive: Archive, progress: Progress) -> None:
    lines = archive.entries()
    for start in range(0, archive.about.size, BATCH):
        rows = [_entry_row(seq, line) for seq, line in enumerate(islice(lines, BATCH), start)]
        if not rows:
            break
        session.execute(insert(EntryRow), rows)
        progress("entries", start + len(rows), archive.about.size)
    if next(lines, None) is not None or tree.size(session) != archive.about.size:
        raise ArchiveError(f"{members.ENTRIES} does not hold the {archive.about.size} entries of {members.ABOUT}")
    _insert(session, NodeRow, _nodes(_leaves(session)))


def _entry_row(seq: int, canonical: bytes) -> Row:
    try:
        entry = entry_of(canonical)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ArchiveError(f"line {seq + 1} of {members.ENTRIES} is no entry: {error}") from error
    if entry.seq != seq:
        raise ArchiveError(f"line {seq + 1} of {members.ENTRIES} is entry {entry.seq}")
    columns = {name: getattr(entry, name) for name in ("seq", "type", "claim", "actor", "time")}
    return {**columns, "payload": dict(entry.payload), "canonical": canonical, "leaf_hash": leaf_hash(canonical)}


def _leaves(session: Session) -> Iterator[bytes]:
    query = select(EntryRow.leaf_hash).order_by(col(EntryRow.seq))
    return iter(session.exec(query.execution_options(yield_per=BATCH)))


def _nodes(leaves: Iterable[bytes]) -> Iterator[Row]:
    """Every inner node over these leaves."""
    pending: dict[merkle.Coordinate, bytes] = {}
    for seq, leaf in enumerate(leaves):
        grown = merkle.grow(seq, leaf, pending)
        yield from ({"level": level, "index": index, "hash": hash_} for (level, index), hash_ in grown.items())
        for used in merkle.needed_by(seq):
            del pending[used]
        top = next(reversed(grown), (0, seq))
        pending[top] = grown.get(top, leaf)


def _insert(session: Session, table: type[Base], rows: Iterable[Row]) -> None:
    rows = iter(rows)
    while batch := list(islice(rows, BATCH)):
        session.execute(insert(table), batch)
