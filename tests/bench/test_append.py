"""Appending to the log, under its lock and with all that follows from an entry, against the bare insert of a row."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import insert
from sqlmodel import func, select

from app.ledger.append import append
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.tables import EntryRow
from claims.entries import Entry, leaf_hash

PAYLOAD = {"note": "bench", "text": "x" * 500}


@pytest.fixture
def ledger(postgres):
    with postgres.database("bench") as urls:
        upgrade(urls.database_owner_url)
        ledger = Ledger(urls.database_url)
        yield ledger
        ledger.dispose()


def test_appending_an_entry_a_transaction(ledger, full, side_by_side):
    count = 500 if full else 5

    def appended():
        for _ in range(count):
            with ledger.begin() as session:
                append(session, "noted", None, "bench", PAYLOAD)
        return size(ledger)

    def inserted():
        begin = size(ledger)
        for seq in range(begin, begin + count):
            with ledger.begin() as session:
                session.execute(insert(EntryRow).values(row(seq)))
        return size(ledger)

    found = side_by_side(appended, inserted, ("append", "bare insert"))
    assert found.theirs - found.ours == count


def size(ledger):
    with ledger.begin() as session:
        return session.exec(select(func.count()).select_from(EntryRow)).one()


def row(seq):
    entry = Entry(seq, "noted", None, "bench", datetime.now(UTC), PAYLOAD)
    canonical = entry.canonical()
    return {
        "seq": seq,
        "type": entry.type,
        "actor": entry.actor,
        "time": entry.time,
        "payload": PAYLOAD,
        "canonical": canonical,
        "leaf_hash": leaf_hash(canonical),
    }
