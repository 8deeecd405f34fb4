"""A run whose data is generated waits for its beacon round, for a while, and opens with it or without."""

from datetime import UTC, datetime, timedelta

import pytest

from app.ledger import anchors, checkpoints, log, opening, outbox
from app.ledger.anchors import Witness
from app.ledger.queries import get_claim
from app.ledger.runs import claim_shard, give_up_shard, hold
from app.ledger.signing import load_or_create
from app.ledger.tables import ShardRow
from claims import anchored_round
from claims.anchored_round import AnchoredRound
from claims.beacon import MAINNET, Round
from claims.seeds import seed
from tests.outside.witness import OwnWitness

TERM = timedelta(seconds=60)
HOUR, NOTHING = timedelta(hours=1), timedelta(0)


@pytest.fixture
def claim(ledger, put_claim):
    with ledger.begin() as session:
        return put_claim(session, shards=2)


@pytest.fixture
def anchor(ledger, tmp_path):
    """`anchor()`: a witness cosigns the log as it is."""
    signing = load_or_create(tmp_path / "signing.key", "tests")
    witness = OwnWitness(signing.vkey)

    def anchored():
        with ledger.begin() as session:
            issued = checkpoints.issue(session, signing)
        with ledger.begin() as session:
            line = witness.cosign(issued.note)
            return anchors.accept_cosignature(session, issued.size, line, [Witness(witness.vkey, None)])

    return anchored


def take(ledger, claim, index=0, **how):
    source = {"instrument_source_sha256": "5" * 64}
    with ledger.begin() as session:
        return claim_shard(session, f"{claim}-1", index, worker="w", source=source, term=TERM, **how)


def settled(anchor):
    number = anchored_round.awaited(MAINNET, anchor.time)
    return AnchoredRound(MAINNET, Round(number, b"s" * 96, b"p" * 96), anchor)


def opened(ledger, claim):
    with ledger.begin() as session:
        return [entry.payload for entry in log.history(session, claim) if entry.type == "opened"]


def drawn_with(ledger, assignment, randomness):
    """Whether the seeds are those of the nonce that was revealed and of this randomness."""
    (payload,) = opened(ledger, assignment.claim)
    with ledger.begin() as session:
        document_sha256 = get_claim(session, assignment.claim).document_sha256
    expected = seed(bytes.fromhex(payload["nonce"]), document_sha256, "coin/1/toss", randomness)
    return assignment.seeds("coin/1/toss") == expected


def precedence(ledger, claim):
    with ledger.begin() as session:
        return get_claim(session, claim).precedence


def unopened(ledger):
    with ledger.begin() as session:
        return {waiting.run: waiting.anchor for waiting in opening.unopened(session)}


def test_it_is_not_opened_while_it_waits(ledger, claim):
    with ledger.begin() as session:
        assert outbox.relay(ledger, lambda *_: None) == 2
    assert take(ledger, claim, patience=HOUR) is None
    assert opened(ledger, claim) == []
    with ledger.begin() as session:
        shards = [session.get_one(ShardRow, (f"{claim}-1", index)) for index in range(2)]
    assert [(shard.status, shard.attempts, shard.relayed) for shard in shards] == [("queued", 0, None)] * 2


@pytest.mark.parametrize("patience", [None, NOTHING])
def test_without_patience_it_is_opened_at_once_and_stays_committed(ledger, claim, patience):
    assignment = take(ledger, claim, patience=patience)
    assert drawn_with(ledger, assignment, b"")
    (payload,) = opened(ledger, claim)
    assert payload["beacon"] is None
    assert precedence(ledger, claim) == "committed"


def test_it_is_opened_with_its_round_and_becomes_proven(ledger, claim, anchor):
    assert unopened(ledger) == {f"{claim}-1": None}
    mixed = settled(anchor())
    assert unopened(ledger) == {f"{claim}-1": mixed.anchor}
    assert drawn_with(ledger, take(ledger, claim, beacon=mixed, patience=HOUR), mixed.randomness)
    (payload,) = opened(ledger, claim)
    assert payload["beacon"] == mixed.as_payload()
    assert precedence(ledger, claim) == "proven"
    assert unopened(ledger) == {}


def test_later_shards_and_retries_take_the_round_that_it_was_opened_with(ledger, claim, anchor):
    mixed = settled(anchor())
    first = take(ledger, claim, beacon=mixed, patience=HOUR)
    other = settled(anchor())
    assert drawn_with(ledger, take(ledger, claim, 1, beacon=other, patience=HOUR), mixed.randomness)
    with ledger.begin() as session:
        give_up_shard(session, first.lease, "it fell")
    again = take(ledger, claim, patience=HOUR)
    assert (again.lease.attempt, again.seeds("a")) == (2, first.seeds("a"))
    assert drawn_with(ledger, again, mixed.randomness)
    assert len(opened(ledger, claim)) == 1


def test_what_was_opened_without_a_round_gets_none_later(ledger, claim, anchor):
    take(ledger, claim)
    assert drawn_with(ledger, take(ledger, claim, 1, beacon=settled(anchor()), patience=HOUR), b"")
    assert precedence(ledger, claim) == "committed"


def test_the_anchor_that_counts_is_the_first_that_covers_the_claim(ledger, put_claim, anchor):
    with ledger.begin() as session:
        early = put_claim(session)
    first = anchor()
    with ledger.begin() as session:
        late = put_claim(session)
    assert unopened(ledger) == {f"{early}-1": first, f"{late}-1": None}
    second = anchor()
    assert unopened(ledger) == {f"{early}-1": first, f"{late}-1": second}


def test_data_that_exists_waits_for_nothing(ledger, put_claim):
    with ledger.begin() as session:
        claim = put_claim(session)
        row = hold(session, f"{claim}-1")
        assert opening.waits(session, row, HOUR)
        session.connection().exec_driver_sql("UPDATE claims SET precedence = 'recorded'")
        assert not opening.waits(session, row, HOUR)
        assert opening.unopened(session) == []


def test_messages_of_runs_that_wait_are_held_back_for_a_while(ledger, put_claim):
    with ledger.begin() as session:
        waiting, ready = put_claim(session, shards=1), put_claim(session, shards=1)
    sent = []
    relay = {"held": {f"{waiting}-1"}, "send": lambda run, *_: sent.append(run)}
    outbox.relay(ledger, patience=HOUR, **relay)
    assert sent == [f"{ready}-1"]
    outbox.relay(ledger, patience=NOTHING, **relay)
    assert sent == [f"{ready}-1", f"{waiting}-1"]


def test_a_round_is_settled_in_the_future_of_the_filing(ledger, claim, anchor):
    assert settled(anchor()).time > datetime.now(UTC)
