"""Signed heads: one for each size, kept, written outside, and never signed over another history."""

import json
import threading

import pytest

from app.ledger import checkpoints
from app.ledger.append import append
from app.ledger.checkpoints import ForkedLogError
from app.ledger.signing import load_or_create
from claims import checkpoint, merkle


@pytest.fixture
def signing(tmp_path):
    return load_or_create(tmp_path / "signing.key", "tests")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "outside" / "checkpoints.jsonl"


def note(ledger, count=1):
    for number in range(count):
        with ledger.begin() as session:
            append(session, "noted", None, "ada", {"note": "test", "number": number})


def leaves(postgres):
    with postgres.superuser("ledger_tests") as connection:
        return [bytes(row[0]) for row in connection.execute("SELECT leaf_hash FROM entries ORDER BY seq")]


def test_an_empty_log_has_none(ledger, signing, file):
    assert checkpoints.publish(ledger, signing, file) is None
    assert not file.exists()


def test_the_head_is_signed_stored_and_written_outside(ledger, signing, file, postgres):
    note(ledger, 5)
    issued = checkpoints.publish(ledger, signing, file)
    found = checkpoint.verify(issued.note, signing.vkey)
    assert (found.origin, found.size, found.root) == ("antedate/tests", 5, merkle.root_of(leaves(postgres)))
    with ledger.begin() as session:
        assert checkpoints.newest(session) == checkpoints.at(session, 5) == issued
    (kept,) = checkpoints.read_copies(file)
    assert kept == issued


def test_a_log_that_has_not_grown_gets_no_second_one(ledger, signing, file):
    note(ledger, 3)
    first = checkpoints.publish(ledger, signing, file)
    assert checkpoints.publish(ledger, signing, file) == first
    assert len(file.read_text().splitlines()) == 1


def test_the_first_one_that_covers_an_entry_stays_the_same(ledger, signing, file):
    note(ledger, 2)
    checkpoints.publish(ledger, signing, file)
    note(ledger, 2)
    second = checkpoints.publish(ledger, signing, file)
    note(ledger, 3)
    third = checkpoints.publish(ledger, signing, file)
    with ledger.begin() as session:
        assert [checkpoints.covering(session, seq).size for seq in range(7)] == [2, 2, 4, 4, 7, 7, 7]
        assert checkpoints.covering(session, 7) is None
    assert [kept.size for kept in checkpoints.read_copies(file)] == [2, second.size, third.size]


def test_what_was_signed_elsewhere_meanwhile_is_written_outside_too(ledger, signing, file):
    """The API signs on demand; the clock's process alone writes the file."""
    for _ in range(3):
        note(ledger)
        with ledger.begin() as session:
            checkpoints.issue(session, signing)
    checkpoints.publish(ledger, signing, file)
    assert [kept.size for kept in checkpoints.read_copies(file)] == [1, 2, 3]


def test_two_who_sign_at_once_make_one(ledger, signing):
    note(ledger, 9)
    found = []

    def sign():
        with ledger.begin() as session:
            found.append(checkpoints.issue(session, signing))

    threads = [threading.Thread(target=sign) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_head_that_another_signs_meanwhile_is_no_fork(ledger, signing, monkeypatch):
    note(ledger)
    counted = checkpoints.tree.size

    def outrun(session):
        size = counted(session)
        monkeypatch.undo()
        note(ledger)
        with ledger.begin() as other:
            assert checkpoints.issue(other, signing).size == 2
        return size

    monkeypatch.setattr(checkpoints.tree, "size", outrun)
    with ledger.begin() as session:
        assert checkpoints.issue(session, signing).size == 1


def test_a_cut_last_line_is_written_anew(ledger, signing, file):
    note(ledger)
    checkpoints.publish(ledger, signing, file)
    whole = file.read_bytes()
    note(ledger)
    checkpoints.publish(ledger, signing, file)
    file.write_bytes(file.read_bytes()[:-20])
    assert [kept.size for kept in checkpoints.read_copies(file)] == [1]
    checkpoints.publish(ledger, signing, file)
    assert [kept.size for kept in checkpoints.read_copies(file)] == [1, 2]
    assert file.read_bytes().startswith(whole)


def test_the_newest_copy_is_read_from_the_end_alone(ledger, signing, file, monkeypatch):
    assert checkpoints.newest_copy(file) is None
    for _ in range(3):
        note(ledger)
        issued = checkpoints.publish(ledger, signing, file)
    whole = file.read_bytes()
    assert checkpoints.newest_copy(file) == issued
    file.write_bytes(b"no copy\n" + whole + whole[:100])
    monkeypatch.setattr(checkpoints, "LONGEST_COPIES", 1000)
    assert checkpoints.newest_copy(file) == issued
    monkeypatch.setattr(checkpoints, "LONGEST_COPIES", 10)
    with pytest.raises(ValueError, match="the last 10 bytes"):
        checkpoints.newest_copy(file)
    file.write_bytes(whole[:9])
    assert checkpoints.newest_copy(file) is None


def rewrite(postgres, statement):
    """What only a superuser can do, once the triggers are off."""
    with postgres.superuser("ledger_tests") as connection, connection.transaction():
        for table in ("entries", "nodes", "checkpoints"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        connection.execute(statement)
        for table in ("entries", "nodes", "checkpoints"):
            for which in ("rows", "all"):
                connection.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_keep_{which}")


CUT = "DELETE FROM nodes WHERE (index + 1) << level > 3; DELETE FROM entries WHERE seq >= 3"


def test_nothing_is_signed_over_a_log_that_was_cut(ledger, signing, file, postgres):
    note(ledger, 5)
    checkpoints.publish(ledger, signing, file)
    rewrite(postgres, CUT)
    with pytest.raises(ForkedLogError, match="has 3 entries, and a checkpoint over 5 was published"):
        checkpoints.publish(ledger, signing, file)
    with (
        pytest.raises(ForkedLogError, match="has 3 entries, and a checkpoint over 5 was signed"),
        ledger.begin() as session,
    ):
        checkpoints.issue(session, signing)


def test_nor_over_one_that_was_cut_with_its_checkpoints_and_grew_again(ledger, signing, file, postgres):
    """The database forgets; the file outside does not."""
    note(ledger, 5)
    checkpoints.publish(ledger, signing, file)
    rewrite(postgres, f"{CUT}; DELETE FROM checkpoints")
    note(ledger, 4)
    with pytest.raises(ForkedLogError, match="the first 5 entries are not those that were published"):
        checkpoints.publish(ledger, signing, file)
    with ledger.begin() as session:
        assert checkpoints.newest(session) is None, "nothing was signed"


def test_a_changed_checkpoint_is_not_built_upon(ledger, signing, file, postgres):
    note(ledger, 5)
    checkpoints.publish(ledger, signing, file)
    note(ledger)
    rewrite(postgres, r"UPDATE checkpoints SET root = sha256('\x00')")
    with ledger.begin() as session, pytest.raises(ForkedLogError, match="not those that were signed"):
        checkpoints.issue(session, signing)


def test_the_file_is_lines_that_anyone_can_read(ledger, signing, file):
    note(ledger, 2)
    issued = checkpoints.publish(ledger, signing, file)
    kept = json.loads(file.read_text())
    assert set(kept) == {"size", "root", "note", "time"}
    assert kept["note"] == issued.note


def test_a_cut_line_is_dropped_from_a_file_longer_than_is_read(ledger, signing, file):
    """Only the end of the file is read, and only the cut line goes."""
    note(ledger)
    checkpoints.publish(ledger, signing, file)
    line = file.read_bytes()
    copies = line * (checkpoints.LONGEST_COPIES // len(line) + 3)
    file.write_bytes(copies + line[:50])
    note(ledger)
    checkpoints.publish(ledger, signing, file)
    written = file.read_bytes()
    assert written.startswith(copies)
    assert json.loads(written.removeprefix(copies))["size"] == 2
