"""Content-addressed bytes in Postgres, in chunks of 1 MiB."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, col, select

from app.ledger.tables import Blob, BlobChunk

CHUNK = 1024 * 1024


class BlobError(LookupError):
    """A blob is missing or its bytes are not what their name says: the database was damaged or tampered with."""


def put(session: Session, data: bytes, media_type: str) -> str:
    """Store `data` in this transaction, once however often it is put, and return its SHA-256 in hex.

    Called before the log's lock is taken: two transactions storing the same bytes wait for each other.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    values = {"sha256": sha256, "size": len(data), "media_type": media_type}
    added = session.execute(upsert(Blob).values(values).on_conflict_do_nothing().returning(col(Blob.sha256)))
    if added.one_or_none() is not None and data:
        session.execute(
            insert(BlobChunk),
            [
                {"sha256": sha256, "index": index, "data": data[start : start + CHUNK]}
                for index, start in enumerate(range(0, len(data), CHUNK))
            ],
        )
    return sha256


def size(session: Session, sha256: str) -> int:
    """How many bytes the blob has; raises `BlobError` when there is none."""
    found = session.exec(select(Blob.size).where(Blob.sha256 == sha256)).one_or_none()
    if found is None:
        raise BlobError(f"there is no blob sha256:{sha256}")
    return found


def stream(session: Session, sha256: str) -> Iterator[bytes]:
    """The blob chunk by chunk, in this session; raises `BlobError` at its end when the bytes have another hash."""
    digest = hashlib.sha256()
    for index in range(-(-size(session, sha256) // CHUNK)):
        chunk = session.exec(
            select(BlobChunk.data).where(BlobChunk.sha256 == sha256, BlobChunk.index == index)
        ).one_or_none()
        if chunk is None:
            raise BlobError(f"blob sha256:{sha256} lacks its chunk {index}")
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != sha256:
        raise BlobError(f"blob sha256:{sha256} holds other bytes than its name says")


def read(session: Session, sha256: str) -> bytes:
    """The whole blob; raises `BlobError` when it is missing or damaged."""
    return b"".join(stream(session, sha256))
