import hashlib
import json
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlmodel import select

from app.ledger import log
from app.ledger.append import append
from app.ledger.tables import ClaimRow, EntryRow
from claims.canonical import canonical_bytes
from claims.lifecycle import IllegalStepError


def every_entry(ledger):
    with ledger.begin() as session:
        return session.exec(select(EntryRow).order_by(EntryRow.seq)).all()


def test_an_entry_is_stored_by_the_bytes_of_section_8(ledger):
    before = datetime.now(UTC)
    with ledger.begin() as session:
        append(session, "noted", None, "ada", {"note": "first", "x": 1e-5, "n": 2.0})
    (row,) = every_entry(ledger)
    wire = json.loads(row.canonical)
    assert wire["seq"] == 0
    assert wire["claim"] is None
    assert wire["payload"] == {"note": "first", "x": 1e-5, "n": 2}
    assert wire["time"].endswith("Z")
    assert row.canonical == canonical_bytes(wire)
    assert row.leaf_hash == hashlib.sha256(b"\x00" + row.canonical).digest()
    assert before < row.time <= datetime.now(UTC)


def test_appending_gives_the_entry_as_the_log_will_give_it(ledger, put_claim):
    with ledger.begin() as session:
        claim = put_claim(session)
        appended = append(session, "noted", claim, "ada", {"level": 2.0})
        assert log.history(session, claim)[-1] == appended
        assert [entry.seq for entry in log.history(session, claim, before=appended.seq)] == [0]


def test_numbers_have_no_gap_when_many_append_and_some_roll_back(ledger):
    threads, each = 8, 12
    start = threading.Barrier(threads)

    def work(worker: int) -> None:
        start.wait()
        for number in range(each):
            with ledger.begin() as session:
                append(session, "noted", None, f"worker-{worker}", {"note": "one", "number": number})
                append(session, "noted", None, f"worker-{worker}", {"note": "two", "number": number})
                if number % 3 == 0:
                    session.rollback()

    running = [threading.Thread(target=work, args=(worker,)) for worker in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    rows = every_entry(ledger)
    assert [row.seq for row in rows] == list(range(threads * each * 2 * 2 // 3))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    assert all((one.actor, one.payload["number"]) == (two.actor, two.payload["number"]) for one, two in pairs)
    assert [row.time for row in rows] == sorted(row.time for row in rows)


def test_a_step_that_cannot_follow_leaves_nothing_behind(ledger, put_claim):
    with ledger.begin() as session:
        claim = put_claim(session)
    with pytest.raises(IllegalStepError, match="never opened"), ledger.begin() as session:
        append(session, "run_ended", claim, "worker", {"run": f"{claim}-1", "state": "ended"})
    assert len(every_entry(ledger)) == 1
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, claim).status == "registered"


def test_what_has_no_canonical_form_is_not_appended(ledger):
    with pytest.raises(ValueError, match="no canonical JSON form"), ledger.begin() as session:
        append(session, "noted", None, "ada", {"x": float("nan")})
    assert every_entry(ledger) == []


def test_the_database_checks_the_words_of_the_log(ledger):
    with ledger.begin() as session:
        statement = "SELECT conname FROM pg_constraint WHERE conrelid = 'entries'::regclass AND contype = 'c'"
        checks = set(session.execute(text(statement)).scalars())
    assert checks == {"ck_entries_type", "ck_entries_seq", "ck_entries_leaf_hash"}
