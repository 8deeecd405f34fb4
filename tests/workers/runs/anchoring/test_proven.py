"""A real worker, and everybody outside on loopback: a claim becomes proven, or opens without in time."""

from datetime import timedelta

import pytest

from app.ledger import anchors, checkpoints, proofs, queries
from claims import anchored_round, cosignature, merkle, timestamps
from claims.checkpoint import parse
from claims.entries import leaf_hash
from claims.lifecycle import fold

MEASURED = ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]


def precedence(ledger, claim):
    with ledger.begin() as session:
        return queries.get_claim(session, claim).precedence


def test_a_claim_becomes_proven_and_anybody_can_check_why(  # noqa: PLR0917 - fixtures
    ledger, world, named, signing, file_claim, start_worker, watch, eventually
):
    claim = file_claim(coins=4)
    start_worker(**named)

    def the_claim_is_decided():
        return watch.status(claim) not in {"registered", "running"}

    eventually(the_claim_is_decided, seconds=120)
    assert watch.types(claim) == MEASURED
    assert precedence(ledger, claim) == "proven"
    registered, opened = watch.history(claim)[:2]
    mixed = anchored_round.read(opened.payload["beacon"])
    # As a verifier does: the group's signature, the rule, the anchor's word, its checkpoint, the entry in that.
    mixed.verify()
    assert mixed.chain == world.chain.chain
    assert mixed.follows(registered.seq)
    assert mixed.time > mixed.anchor.time + timedelta(seconds=4)
    assert mixed.time <= opened.time
    with ledger.begin() as session:
        issued = checkpoints.at(session, mixed.anchor.size)
        said = {row.kind: row for row in anchors.of_checkpoint(session, mixed.anchor.size)}
        proof = proofs.inclusion(session, registered.seq, mixed.anchor.size)
    head = parse(issued.note)
    assert merkle.verify_inclusion(leaf_hash(registered.canonical()), registered.seq, head.size, proof, head.root)
    row = said[mixed.anchor.kind]
    if row.kind == "witness":
        note = cosignature.with_lines(issued.note, [row.body.decode()])
        assert cosignature.verify(note, world.witness.vkey) == mixed.anchor.time
    else:
        roots = timestamps.read_roots(world.authority.root)
        assert timestamps.verify(row.body, timestamps.text_of(issued.note), roots) == mixed.anchor.time
    assert fold(watch.history(claim)).precedence == "proven"


@pytest.mark.parametrize("down", ["the anchors", "the beacon"])
def test_whoever_is_down_holds_a_run_up_no_longer_than_said(  # noqa: PLR0917 - fixtures
    ledger, world, named, signing, file_claim, start_worker, watch, eventually, down
):
    refused = (503, b"closed today")
    if down == "the anchors":
        world.trouble |= {"/tsa": refused, "/witness/add-checkpoint": refused}
    else:
        world.chain = None
    claim = file_claim(coins=4)
    start_worker(**named, ANTEDATE_BEACON_WAIT_SECONDS="8")

    def the_claim_is_decided():
        return watch.status(claim) not in {"registered", "running"}

    eventually(the_claim_is_decided, seconds=120)
    registered, opened = watch.history(claim)[:2]
    assert watch.types(claim) == MEASURED
    assert opened.time - registered.time >= timedelta(seconds=8)
    assert opened.payload["beacon"] is None
    assert precedence(ledger, claim) == "committed"
    assert world.asked


def test_without_names_nobody_outside_is_asked_and_nothing_waits(  # noqa: PLR0917 - fixtures
    ledger, world, signing, file_claim, start_worker, watch, eventually
):
    claim = file_claim(coins=4)
    start_worker()

    def the_claim_is_decided():
        return watch.status(claim) not in {"registered", "running"}

    eventually(the_claim_is_decided, seconds=120)
    assert world.asked == []
    assert watch.history(claim)[1].payload["beacon"] is None
    assert precedence(ledger, claim) == "committed"
