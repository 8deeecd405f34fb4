"""The word of a witness or a timestamp authority for the checkpoint that a beacon round follows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from claims import anchored_round, timestamps
from claims.anchored_round import Anchor, AnchoredRound
from claims.verifying import Case, Pin, verify
from claims.verifying.anchoring import Outside
from tests.claims.verifying.story import OTHER_KEY, honest_story
from tests.outside.authority import OwnAuthority
from tests.outside.chain import OwnChain
from tests.outside.witness import OwnWitness

TIME = datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC)
SIZE = 4
CHAIN = OwnChain(period=2, genesis=int(TIME.timestamp()) - 10)


def opened_after(anchor):
    """An honest story opened with the round that this anchor settles on."""
    story = honest_story()
    number = anchored_round.awaited(CHAIN.chain, anchor.time)
    story.beacon = AnchoredRound(CHAIN.chain, CHAIN.round(number), anchor)
    story.measure_again()
    story.estimate()
    story.judge()
    return story


@pytest.fixture(scope="module")
def witnessed():
    return opened_after(Anchor(SIZE, "witness", "witness.example", TIME))


@pytest.fixture(scope="module")
def stamped():
    return opened_after(Anchor(SIZE, "timestamp", "tsa.example", TIME))


@pytest.fixture(scope="module")
def witness(witnessed):
    return OwnWitness(witnessed.vkey)


@pytest.fixture(scope="module")
def authority():
    return OwnAuthority()


@pytest.fixture
def cosigned(witnessed, witness):
    """The anchored checkpoint with the witness's line, whom this client believes."""
    note = witnessed.head_at(SIZE)
    signed = f"{note}{witness.cosign(note, TIME)}\n"
    return Outside(signed, witnesses=(witness.vkey,), prove=witnessed.prove)


@pytest.fixture
def timestamped(stamped, authority):
    note = stamped.head_at(SIZE)
    answer = authority.answer(timestamps.request(timestamps.text_of(note)).body, time=TIME)
    return Outside(note, answer, roots=timestamps.read_roots(authority.root), prove=stamped.prove)


def anchor_line(story, outside):
    case = Case(story.parts(), Pin(story.vkey, "given"), frozenset({CHAIN.chain.hash}), outside)
    found = {line.name: line for line in verify(case)}
    assert {name for name, line in found.items() if line.state == "failed"} <= {"anchor"}
    return found["anchor"]


def test_a_witness_whose_key_is_known(witnessed, cosigned):
    line = anchor_line(witnessed, cosigned)
    assert (line.state, "witness.example saw the checkpoint over 4 entries" in line.detail) == ("ok", True)


def test_an_authority_whose_certificate_is_believed(stamped, timestamped):
    line = anchor_line(stamped, timestamped)
    assert line.state == "ok", line


def test_whom_this_client_does_not_know_is_not_believed(witnessed, cosigned, stamped, timestamped):
    assert anchor_line(witnessed, replace(cosigned, witnesses=())).state == "not checked"
    assert anchor_line(stamped, replace(timestamped, roots=())).state == "not checked"
    assert anchor_line(stamped, replace(timestamped, timestamp=None)).state == "not checked"
    assert anchor_line(stamped, replace(timestamped, prove=None)).state == "not checked"


def test_another_witness_of_the_same_name(witnessed, cosigned):
    other = OwnWitness(witnessed.vkey)
    assert anchor_line(witnessed, replace(cosigned, witnesses=(other.vkey,))).state == "failed"


def test_a_witness_that_saw_it_at_another_time(witnessed, witness, cosigned):
    note = witnessed.head_at(SIZE)
    late = f"{note}{witness.cosign(note, TIME + timedelta(seconds=1))}\n"
    assert "gives the time" in anchor_line(witnessed, replace(cosigned, note=late)).detail


def test_an_authority_that_saw_it_at_another_time(stamped, timestamped, authority):
    body = timestamps.request(timestamps.text_of(timestamped.note)).body
    answer = authority.answer(body, time=TIME + timedelta(hours=1))
    assert anchor_line(stamped, replace(timestamped, timestamp=answer)).state == "failed"


def test_another_checkpoint_than_the_anchored_one(witnessed, witness, cosigned):
    for note in (witnessed.head_at(SIZE + 1), witnessed.head_at(SIZE - 1)):
        outside = replace(cosigned, note=f"{note}{witness.cosign(note, TIME)}\n")
        assert "the anchor over 4" in anchor_line(witnessed, outside).detail


def test_a_checkpoint_of_another_history(witnessed, witness, cosigned):
    other = honest_story()
    other.changes["noted"] = {"note": "another past"}
    note = other.head_at(SIZE)
    outside = replace(cosigned, note=f"{note}{witness.cosign(note, TIME)}\n")
    line = anchor_line(witnessed, outside)
    assert (line.state, "another history" in line.detail) == ("failed", True)


def test_a_checkpoint_that_the_log_did_not_sign(witnessed, witness, cosigned):
    other = replace(honest_story(), key=OTHER_KEY, beacon=witnessed.beacon)
    note = other.head_at(SIZE)
    outside = replace(cosigned, note=f"{note}{witness.cosign(note, TIME)}\n")
    assert anchor_line(witnessed, outside).state == "failed"


def test_an_answer_for_another_text(stamped, timestamped, authority):
    answer = authority.answer(timestamps.request(b"another text\n").body, time=TIME)
    assert anchor_line(stamped, replace(timestamped, timestamp=answer)).state == "failed"
    assert anchor_line(stamped, replace(timestamped, timestamp=b"no answer")).state == "failed"
