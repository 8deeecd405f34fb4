"""Writing an archive: one ZIP, stored, in a fixed order, so that the same ledger gives the same bytes."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from sqlmodel import Session, col, select

from app.ledger import blobs, tree
from app.ledger.archive import members
from app.ledger.archive.members import About, ArchiveError, line_of
from app.ledger.audit.findings import Progress
from app.ledger.rebuilding import stored_canonicals
from app.ledger.tables import AnchorRow, Blob, CheckpointRow, Receipt
from claims.entries import format_time, leaf_hash
from claims.merkle import root_of

EPOCH = (1980, 1, 1, 0, 0, 0)
PERMISSIONS = 0o100644 << 16
BATCH = 500


def export(session: Session, vkey: str, file: BinaryIO, progress: Progress) -> About:
    """Write the whole ledger, as this transaction sees it, into an empty file. Nothing secret is in it.

    Raises `app.ledger.blobs.BlobError` and `ArchiveError` for a ledger that is damaged: its audit tells more.
    """
    size = tree.size(session)
    with zipfile.ZipFile(file, "w") as archive:
        writer = _Writer(archive)
        writer.member(members.KEY, [f"{vkey}\n".encode()])
        leaves: list[bytes] = []
        writer.member(members.ENTRIES, _entries(session, size, leaves, progress))
        writer.member(members.CHECKPOINTS, _checkpoints(session))
        writer.member(members.ANCHORS, _anchors(session))
        writer.member(members.RECEIPTS, _receipts(session))
        _write_blobs(session, writer, progress)
        about = About(vkey.partition("+")[0], size, root_of(leaves))
        writer.member(members.ABOUT, [line_of(about.as_object(members.SCHEMA))])
        writer.member(members.SUMS, [line.encode() for line in writer.sums])
    return about


class _Writer:
    """Members as they are written, and the lines of SHA256SUMS."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.sums: list[str] = []

    def member(self, name: str, parts: Iterable[bytes]) -> None:
        info = zipfile.ZipInfo(name, EPOCH)
        info.external_attr, info.create_system = PERMISSIONS, 3
        digest = hashlib.sha256()
        with self.archive.open(info, "w", force_zip64=True) as opened:
            for part in parts:
                digest.update(part)
                opened.write(part)
        self.sums.append(f"{digest.hexdigest()}  {name}\n")


def _entries(session: Session, size: int, leaves: list[bytes], progress: Progress) -> Iterator[bytes]:
    """The canonical bytes as they are, one entry a line: within JSON a line's end is escaped."""
    for seq, canonical in enumerate(stored_canonicals(session)):
        if b"\n" in canonical:
            raise ArchiveError(f"the bytes of entry {seq} are damaged: `antedate audit` tells more")
        leaves.append(leaf_hash(canonical))
        yield canonical + b"\n"
        if (seq + 1) % BATCH == 0 or seq + 1 == size:
            progress("entries", seq + 1, size)


def _checkpoints(session: Session) -> Iterator[bytes]:
    for row in session.exec(select(CheckpointRow).order_by(col(CheckpointRow.size))):
        root = base64.b64encode(row.root).decode()
        yield line_of({"size": row.size, "root": root, "note": row.note, "time": format_time(row.time)})


def _anchors(session: Session) -> Iterator[bytes]:
    for row in session.exec(select(AnchorRow).order_by(col(AnchorRow.size), AnchorRow.kind, AnchorRow.name)):
        times = {"time": format_time(row.time), "received": format_time(row.received)}
        body = base64.b64encode(row.body).decode()
        yield line_of({"size": row.size, "kind": row.kind, "name": row.name, "body": body, **times})


def _receipts(session: Session) -> Iterator[bytes]:
    query = select(Receipt.claim, Receipt.body).order_by(Receipt.claim)
    for claim, body in session.execute(query.execution_options(yield_per=BATCH)):
        yield line_of({"claim": claim, "body": body})


def _write_blobs(session: Session, writer: _Writer, progress: Progress) -> None:
    known = session.exec(select(Blob).order_by(Blob.sha256)).all()
    stated = ({"sha256": blob.sha256, "size": blob.size, "media_type": blob.media_type} for blob in known)
    writer.member(members.BLOBS, map(line_of, stated))
    for done, blob in enumerate(known, start=1):
        writer.member(members.BLOB.format(blob.sha256), blobs.chunks(session, blob.sha256))
        progress("blobs", done, len(known))
