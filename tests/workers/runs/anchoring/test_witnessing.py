"""A witness that checks what it cosigns, asked for it over HTTP."""

import pytest

from app.ledger import anchors
from app.ledger.anchors import RefusedAnchorError, Witness
from claims import cosignature
from tests.outside.witness import OwnWitness
from workers.witnessing import have_cosigned

ADD = "/witness/add-checkpoint"


@pytest.fixture
def pinned(world):
    return Witness(world.witness.vkey, f"{world.url}/witness")


def kept(ledger, size):
    with ledger.begin() as session:
        return [row.body.decode() for row in anchors.of_checkpoint(session, size)]


def test_a_growing_log_is_cosigned_head_by_head(ledger, world, pinned, issue):
    for size in range(1, 8):
        issued = issue()
        anchor = have_cosigned(ledger, issued, pinned)
        assert (anchor.size, anchor.kind, anchor.name) == (size, "witness", world.witness.name)
        (line,) = kept(ledger, size)
        assert cosignature.verify(cosignature.with_lines(issued.note, [line]), world.witness.vkey) == anchor.time
    assert len(world.asked) == 7, "it is asked from where it was, so once each time"
    assert world.witness.size == 7


def test_one_that_has_seen_more_or_less_than_we_know_is_asked_from_there(ledger, world, pinned, issue):
    for _ in range(3):
        first = issue()
    assert world.witness.add(b"old 0\n\n" + first.note.encode())[0] == 200
    for _ in range(2):
        second = issue()
    assert have_cosigned(ledger, second, pinned).size == 5
    assert len(world.asked) == 2
    assert world.witness.size == 5


def test_the_same_head_may_be_cosigned_again(ledger, world, pinned, issue):
    issued = issue()
    assert world.witness.add(b"old 0\n\n" + issued.note.encode())[0] == 200
    assert have_cosigned(ledger, issued, pinned).size == 1


def test_a_witness_that_remembers_more_entries_tells_of_a_restored_backup(ledger, world, pinned, issue):
    issued = issue()
    world.witness.size = 12
    with pytest.raises(RefusedAnchorError, match=r"has cosigned 12 entries .* over 1: was an older backup restored"):
        have_cosigned(ledger, issued, pinned)


def test_a_witness_that_remembers_another_history_refuses(ledger, world, pinned, issue):
    issue()
    world.witness.size, world.witness.root = 1, b"x" * 32
    with pytest.raises(RefusedAnchorError, match="answered 422: not a continuation"):
        have_cosigned(ledger, issue(), pinned)
    assert kept(ledger, 2) == []


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (403, b"who are you", "answered 403: who are you"),
        (409, b"many\n", "409 without a size"),
        (200, b"", "0 lines of its own"),
        (200, "— somebody AAAA\n".encode(), "0 lines of its own"),
        (200, "— witness.example AAAA\n— witness.example AAAA\n".encode(), "2 lines of its own"),
        (200, "— witness.example AAAAAAAA\n".encode(), "does not hold"),
        (200, "— witness.example AAAA".encode(), "1 lines of its own"),
        (200, b"\xff\xfe\n", "0 lines of its own"),
    ],
)
def test_any_other_answer_is_refused_in_words(  # noqa: PLR0917 - fixtures
    ledger, world, pinned, issue, status, body, says
):
    world.trouble[ADD] = (status, body)
    with pytest.raises(RefusedAnchorError, match=says):
        have_cosigned(ledger, issue(), pinned)
    assert kept(ledger, 1) == []


def test_a_cosignature_by_another_key_of_that_name_is_refused(ledger, world, pinned, issue, signing):
    issued = issue()
    world.trouble[ADD] = (200, f"{OwnWitness(signing.vkey).cosign(issued.note)}\n".encode())
    with pytest.raises(RefusedAnchorError, match="does not hold"):
        have_cosigned(ledger, issued, pinned)
