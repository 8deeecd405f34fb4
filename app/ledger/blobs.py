"""Content-addressed bytes in Postgres, in chunks of 1 MiB."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO

from sqlalchemy import insert
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, col, select

from app.ledger.database import Ledger
from app.ledger.tables import Blob, BlobChunk

CHUNK = 1024 * 1024


class BlobError(LookupError):
    """A blob is missing or its bytes are not what their name says: the database was damaged or tampered with."""


def put(session: Session, data: bytes | BinaryIO, media_type: str) -> str:
    """Store `data` in this transaction, once however often it is put, and return its SHA-256 in hex.

    A file is stored from its beginning to its end, and no more than a chunk of it is held at a time. Called before
    the log's lock is taken: two transactions storing the same bytes wait for each other.
    """
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    digest = hashlib.sha256()
    for chunk in _chunks_of(file):
        digest.update(chunk)
    sha256 = digest.hexdigest()
    values = {"sha256": sha256, "size": file.tell(), "media_type": media_type}
    added = session.execute(upsert(Blob).values(values).on_conflict_do_nothing().returning(col(Blob.sha256)))
    if added.one_or_none() is not None:
        for index, chunk in enumerate(_chunks_of(file)):
            session.execute(insert(BlobChunk), [{"sha256": sha256, "index": index, "data": chunk}])
    return sha256


def _chunks_of(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    return iter(partial(file.read, CHUNK), b"")


def size(session: Session, sha256: str) -> int:
    """How many bytes the blob has; raises `BlobError` when there is none."""
    found = session.exec(select(Blob.size).where(Blob.sha256 == sha256)).one_or_none()
    if found is None:
        raise BlobError(f"there is no blob sha256:{sha256}")
    return found


def read(session: Session, sha256: str) -> bytes:
    """The whole blob; raises `BlobError` when it is missing or damaged."""
    return b"".join(chunks(session, sha256))


def chunks(session: Session, sha256: str) -> Iterator[bytes]:
    """The blob chunk by chunk, read in this transaction; raises `BlobError` when it is missing or damaged."""
    indices = range(_chunks_in(size(session, sha256)))
    return _checked(sha256, (_chunk(session, sha256, index) for index in indices))


def stream(ledger: Ledger, sha256: str, size: int) -> Iterator[bytes]:
    """The blob of `size` bytes chunk by chunk; raises `BlobError` at its end when the bytes have another hash.

    Each chunk is read in a transaction of its own, closed before the chunk is handed on: a reader that is slow, or
    goes away, holds no connection.
    """

    def read_apart() -> Iterator[bytes]:
        for index in range(_chunks_in(size)):
            with ledger.begin() as session:
                chunk = _chunk(session, sha256, index)
            yield chunk

    return _checked(sha256, read_apart())


def _chunks_in(size: int) -> int:
    return -(-size // CHUNK)


def _chunk(session: Session, sha256: str, index: int) -> bytes:
    query = select(BlobChunk.data).where(BlobChunk.sha256 == sha256, BlobChunk.index == index)
    chunk = session.exec(query).one_or_none()
    if chunk is None:
        raise BlobError(f"blob sha256:{sha256} lacks its chunk {index}")
    return chunk


def _checked(sha256: str, chunks: Iterable[bytes]) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != sha256:
        raise BlobError(f"blob sha256:{sha256} holds other bytes than its name says")
