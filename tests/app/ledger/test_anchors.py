"""What others say of a checkpoint is kept if it holds, and stays."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError

from app.ledger import anchors, checkpoints, tree
from app.ledger.anchors import RefusedAnchorError, UnknownCheckpointError, Witness, read_witnesses
from app.ledger.append import append
from app.ledger.signing import load_or_create
from claims import timestamps
from tests.outside.authority import OwnAuthority
from tests.outside.witness import OwnWitness


@pytest.fixture
def signing(tmp_path):
    return load_or_create(tmp_path / "signing.key", "tests")


@pytest.fixture
def issue(ledger, signing):
    """`issue()`: one more entry, and a checkpoint over all of them."""

    def issued():
        with ledger.begin() as session:
            append(session, "noted", None, "ada", {"note": "test"})
        with ledger.begin() as session:
            return checkpoints.issue(session, signing)

    return issued


@pytest.fixture
def witness(signing):
    return OwnWitness(signing.vkey)


@pytest.fixture
def pinned(witness):
    return (Witness(witness.vkey, None),)


def entries(ledger):
    with ledger.begin() as session:
        return tree.size(session)


def test_a_pinned_witness_may_deliver_its_line(ledger, issue, witness, pinned):
    issued = issue()
    line, before = witness.cosign(issued.note), entries(ledger)
    with ledger.begin() as session:
        anchor = anchors.accept_cosignature(session, 1, line, pinned)
    with ledger.begin() as session:
        (kept,) = anchors.of_checkpoint(session, 1)
    assert (kept.kind, kept.name, kept.body.decode()) == ("witness", witness.name, line)
    assert kept.time == anchor.time
    assert kept.received >= issued.time
    assert entries(ledger) == before, "an anchor makes no entry that would want an anchor"


def test_the_first_one_stays(ledger, issue, witness, pinned):
    issued = issue()
    now = datetime.now(UTC).replace(microsecond=0)
    lines = [witness.cosign(issued.note, now + timedelta(seconds=late)) for late in (1, 3)]
    for line in lines:
        with ledger.begin() as session:
            assert anchors.accept_cosignature(session, 1, line, pinned).time == now + timedelta(seconds=1)


def refuses(ledger, size, line, pinned):
    with ledger.begin() as session, pytest.raises(RefusedAnchorError) as refused:
        anchors.accept_cosignature(session, size, line, pinned)
    with ledger.begin() as session:
        assert anchors.of_checkpoint(session, size) == []
    return str(refused.value)


def test_nobody_else_may(ledger, issue, signing, pinned):
    note = issue().note
    assert "'stranger' is no witness" in refuses(ledger, 1, OwnWitness(signing.vkey, "stranger").cosign(note), pinned)
    assert "not one" in refuses(ledger, 1, OwnWitness(signing.vkey).cosign(note), pinned), "the name with another key"


def test_neither_a_line_of_another_checkpoint_nor_what_is_no_line(ledger, issue, witness, pinned):
    issue()
    line = witness.cosign(issue().note)
    assert "does not hold" in refuses(ledger, 1, line, pinned)
    assert "is one line" in refuses(ledger, 2, line + "\n" + line, pinned)
    assert "is no witness" in refuses(ledger, 2, "", pinned)
    assert "does not hold" in refuses(ledger, 2, line[:-8], pinned)


def test_a_checkpoint_that_was_never_issued_has_none(ledger, issue, witness, pinned):
    line = witness.cosign(issue().note)
    with ledger.begin() as session, pytest.raises(UnknownCheckpointError, match="over 2 entries"):
        anchors.accept_cosignature(session, 2, line, pinned)


@pytest.mark.parametrize("off", [timedelta(hours=-1), timedelta(hours=1)])
def test_a_clock_that_is_wrong_anchors_nothing(ledger, issue, witness, pinned, off):
    line = witness.cosign(issue().note, datetime.now(UTC) + off)
    assert "clocks is wrong" in refuses(ledger, 1, line, pinned)


def test_timestamps_are_kept_whole(ledger, issue):
    authority, issued = OwnAuthority(), issue()
    roots = timestamps.read_roots(authority.root)
    asked = timestamps.request(timestamps.text_of(issued.note))
    answer = authority.answer(asked.body)
    with ledger.begin() as session:
        anchor = anchors.accept_timestamp(session, 1, answer, "tsa.example", roots, asked.nonce)
    with ledger.begin() as session:
        (kept,) = anchors.of_checkpoint(session, 1)
    assert (kept.kind, kept.name, kept.body) == ("timestamp", "tsa.example", answer)
    assert timestamps.verify(kept.body, timestamps.text_of(issued.note), roots) == anchor.time == kept.time


def test_a_timestamp_that_does_not_hold_is_not_kept(ledger, issue):
    authority, issued = OwnAuthority(), issue()
    asked = timestamps.request(timestamps.text_of(issued.note))
    others = timestamps.read_roots(OwnAuthority().root)
    with ledger.begin() as session, pytest.raises(RefusedAnchorError, match=r"tsa\.example is no timestamp"):
        anchors.accept_timestamp(session, 1, authority.answer(asked.body), "tsa.example", others, asked.nonce)
    with ledger.begin() as session:
        assert anchors.of_checkpoint(session, 1) == []


def test_what_covers_an_entry_comes_in_the_order_in_which_it_was_received(ledger, issue, signing):
    witnesses = [OwnWitness(signing.vkey, f"w{number}") for number in range(3)]
    pinned = [Witness(one.vkey, None) for one in witnesses]
    notes = [issue().note for _ in range(3)]
    for number, size in ((2, 3), (0, 1), (1, 2)):
        with ledger.begin() as session:
            anchors.accept_cosignature(session, size, witnesses[number].cosign(notes[size - 1]), pinned)
    with ledger.begin() as session:
        assert [one.name for one in anchors.covering(session, 0)] == ["w2", "w0", "w1"]
        assert [one.name for one in anchors.covering(session, 1)] == ["w2", "w1"]
        assert anchors.covering(session, 3) == []
        assert [anchors.largest(session, "witness", name) for name in ("w2", "w0", "nobody")] == [3, 1, 0]


@pytest.mark.parametrize("statement", ["UPDATE anchors SET name = 'x'", "DELETE FROM anchors", "TRUNCATE anchors"])
def test_what_was_said_cannot_be_unsaid(ledger, issue, witness, pinned, postgres, statement):  # noqa: PLR0917 - fixtures
    issued = issue()
    with ledger.begin() as session:
        anchors.accept_cosignature(session, 1, witness.cosign(issued.note), pinned)
    with postgres.superuser("ledger_tests") as connection, pytest.raises(psycopg.Error, match="anchors"):
        connection.execute(statement)
    with ledger.begin() as session, pytest.raises(DBAPIError, match="permission denied"):
        session.connection().exec_driver_sql(statement)


def test_witnesses_are_read_a_line_each(signing):
    one, two = (OwnWitness(signing.vkey, name).vkey for name in ("one.example/w", "two.example"))
    text = f"# ours\n\n{one} https://one.example/w/ # asked\n  {two}\n"
    assert read_witnesses(text) == (Witness(one, "https://one.example/w"), Witness(two, None))
    assert [witness.name for witness in read_witnesses(text)] == ["one.example/w", "two.example"]
    assert read_witnesses("") == ()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{witness} https://a https://b", "line 2: after the key comes at most one URL"),
        ("{witness} ftp://a", "line 2: after the key comes at most one URL"),
        ("{log} https://a", "line 2: the verifier key antedate/tests"),
        ("nothing", "line 2"),
        ("{witness}\n{witness}", "the same name"),
    ],
)
def test_a_file_of_something_else_is_refused_by_line(signing, witness, line, says):
    with pytest.raises(ValueError, match=says):
        read_witnesses("#\n" + line.format(witness=witness.vkey, log=signing.vkey))
