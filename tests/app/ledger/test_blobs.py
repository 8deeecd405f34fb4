import hashlib
import threading

import pytest
from sqlalchemy import text
from sqlmodel import func, select

from app.ledger import blobs, inline
from app.ledger.blobs import CHUNK, BlobError
from app.ledger.tables import BlobChunk
from claims.canonical import canonical_bytes


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 17])
def test_bytes_come_back_as_they_were_in_chunks_of_a_mebibyte(ledger, size):
    data = (b"0123456789" * (size // 10 + 1))[:size]
    with ledger.begin() as session:
        sha256 = blobs.put(session, data, "text/plain")
    assert sha256 == hashlib.sha256(data).hexdigest()
    with ledger.begin() as session:
        assert blobs.read(session, sha256) == data
        assert blobs.size(session, sha256) == size
    chunks = list(blobs.stream(ledger, sha256, size))
    assert b"".join(chunks) == data
    assert all(len(chunk) == CHUNK for chunk in chunks[:-1])


def test_the_same_bytes_are_stored_once_whoever_puts_them(ledger):
    data = b"x" * (CHUNK + 1)

    def put() -> None:
        with ledger.begin() as session:
            blobs.put(session, data, "text/plain")

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ledger.begin() as session:
        assert session.exec(select(func.count()).select_from(BlobChunk)).one() == 2


def test_what_is_missing_is_said(ledger):
    with pytest.raises(BlobError, match="there is no blob sha256:00"), ledger.begin() as session:
        blobs.read(session, "0" * 64)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("UPDATE blob_chunks SET data = 'other' WHERE index = 1", "holds other bytes"),
        ("DELETE FROM blob_chunks WHERE index = 1", "lacks its chunk 1"),
    ],
)
def test_damage_is_noticed_when_read(ledger, postgres, damage, says):
    with ledger.begin() as session:
        sha256 = blobs.put(session, b"x" * (CHUNK + 1), "text/plain")
    with postgres.superuser("ledger_tests") as connection:
        connection.execute(damage)
    with pytest.raises(BlobError, match=says), ledger.begin() as session:
        blobs.read(session, sha256)


@pytest.mark.parametrize("length", [10, 70_000])
def test_documents_stand_in_the_payload_up_to_64_kib(ledger, length):
    document = {"rationale": "r" * length, "value": 0.1}
    canonical = canonical_bytes(document)
    with ledger.begin() as session:
        enclosed = inline.enclose(session, document, canonical)
        assert inline.document_of(session, enclosed) == document
        assert inline.canonical_of(session, enclosed) == canonical
        if length > 65_536:
            assert enclosed == {"sha256": hashlib.sha256(canonical).hexdigest(), "size": len(canonical)}
            assert session.execute(text("SELECT size FROM blobs")).scalar_one() == len(canonical)
        else:
            assert enclosed is document


def test_readers_that_stop_half_way_hold_no_connection(ledger):
    with ledger.begin() as session:
        sha256 = blobs.put(session, b"x" * (2 * CHUNK), "text/plain")
    readers = [blobs.stream(ledger, sha256, 2 * CHUNK) for _ in range(50)]
    assert all(len(next(reader)) == CHUNK for reader in readers)
    assert ledger.engine.pool.checkedout() == 0
