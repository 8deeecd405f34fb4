"""Rounds are fetched for runs that wait for them, kept, and believed by nobody."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import redis

from app.ledger import anchors, blobs
from app.ledger.anchors import Witness
from claims import anchored_round, beacon, rows
from claims.beacon import InvalidBeaconError
from claims.seeds import seed
from tests.outside.chain import published
from workers import beacons
from workers.beacons import Beacon
from workers.fetching import UnreachableError
from workers.measuring import measure_shard


@pytest.fixture
def source(world):
    return Beacon(world.url, world.chain.chain.hash)


@pytest.fixture
def anchored(ledger, file_claim, issue, world):
    """`anchored()`: a claim on the ledger, and its anchor, as old as may be: its round is out in a second or two."""

    def filed(coins=4):
        claim, issued = file_claim(coins=coins), issue()
        line = world.witness.cosign(issued.note, datetime.now(UTC) - timedelta(seconds=3))
        with ledger.begin() as session:
            return claim, anchors.accept_cosignature(session, issued.size, line, [Witness(world.witness.vkey, None)])

    return filed


@pytest.fixture
def at_hand(ledger, rounds, source, eventually):
    """`at_hand(anchor)`: wait until the anchor's round is fetched."""

    def waited(anchor):
        def the_round_is_at_hand():
            beacons.fetch_awaited(ledger, rounds, source)
            return rounds.settled_by(anchor)

        eventually(the_round_is_at_hand)

    return waited


def settled(world, anchor):
    return world.chain.round(anchored_round.awaited(world.chain.chain, anchor.time))


def test_a_relay_is_asked_for_the_pinned_chain_and_for_rounds_by_number(source, world):
    assert source.fetch_chain() == world.chain.chain
    assert source.fetch(world.chain.chain, 3) == world.chain.round(3)
    assert world.paths() == [f"/{source.chain}/info", f"/{source.chain}/public/3"]


def test_a_relay_of_another_chain_is_refused(source, world):
    other = replace(world.chain.chain, period=2)
    world.trouble[f"/{source.chain}/info"] = (200, json.dumps(other.information()).encode())
    with pytest.raises(InvalidBeaconError, match=f"not {source.chain}"):
        source.fetch_chain()


@pytest.mark.parametrize(
    ("status", "body", "error", "says"),
    [
        (404, b"gone", UnreachableError, "answered 404: gone"),
        (302, b"", UnreachableError, "answered 302"),
        (200, b"<html>", InvalidBeaconError, "no JSON"),
        (200, b"[" * 60_000, InvalidBeaconError, "no JSON"),
        (200, b"[]", InvalidBeaconError, "a round is a JSON object"),
        (200, b'{"round": NaN}', InvalidBeaconError, "round is a whole number"),
    ],
)
def test_what_is_no_round_is_refused(source, world, status, body, error, says):  # noqa: PLR0917 - fixtures
    world.trouble[f"/{source.chain}/public/3"] = (status, body)
    with pytest.raises(error, match=says):
        source.fetch(world.chain.chain, 3)


def test_another_round_than_asked_for_is_refused(source, world):
    world.trouble[f"/{source.chain}/public/3"] = (200, json.dumps(published(world.chain.round(4))).encode())
    with pytest.raises(InvalidBeaconError, match="round 3 was asked for, and 4 was answered"):
        source.fetch(world.chain.chain, 3)


def test_a_round_that_nobody_signed_is_refused(source, world):
    forged = replace(world.chain.round(3), signature=world.chain.round(4).signature)
    world.trouble[f"/{source.chain}/public/3"] = (200, json.dumps(published(forged)).encode())
    with pytest.raises(InvalidBeaconError, match="is not by the group"):
        source.fetch(world.chain.chain, 3)


def test_nothing_is_fetched_while_nothing_waits(ledger, rounds, source, world, file_claim):
    beacons.fetch_awaited(ledger, rounds, source)
    claim = file_claim(coins=4)
    beacons.fetch_awaited(ledger, rounds, source)
    assert world.asked == []
    assert beacons.not_ready(ledger, rounds) == {f"{claim}-1"}
    assert beacons.round_for(ledger, rounds, f"{claim}-1") is None


def test_a_round_is_fetched_once_published_and_never_before(ledger, rounds, source, world, anchored, at_hand):  # noqa: PLR0917 - fixtures
    claim, anchor = anchored()
    at_hand(anchor)
    number = anchored_round.awaited(world.chain.chain, anchor.time)
    assert beacon.time_of(world.chain.chain, number) <= datetime.now(UTC)
    beacons.fetch_awaited(ledger, rounds, source)
    assert world.paths() == [f"/{source.chain}/info", f"/{source.chain}/public/{number}"]
    assert beacons.not_ready(ledger, rounds) == set()
    mixed = beacons.round_for(ledger, rounds, f"{claim}-1")
    assert (mixed.round, mixed.anchor) == (settled(world, anchor), anchor)


def test_a_run_is_measured_with_its_round_from_the_first_shard_to_the_last(  # noqa: PLR0917 - fixtures
    worker, rounds, world, anchored, at_hand, watch
):
    claim, anchor = anchored()
    worker = replace(worker, rounds=rounds, patience=timedelta(hours=1))
    assert measure_shard(worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == ["registered"]
    at_hand(anchor)
    assert measure_shard(worker, f"{claim}-1", 1) is not None
    assert measure_shard(replace(worker, rounds=None), f"{claim}-1", 2) is not None
    (opened,) = [entry.payload for entry in watch.history(claim) if entry.type == "opened"]
    mixed = anchored_round.read(opened["beacon"])
    mixed.verify()
    assert mixed.round == settled(world, anchor)
    nonce, document = bytes.fromhex(opened["nonce"]), watch.history(claim)[0].payload["document_sha256"]
    for coin in (1, 2):
        toss = random.Random(seed(nonce, document, f"coin/{coin}/toss", mixed.randomness))
        with worker.ledger.begin() as session:
            measured = list(rows.decode(blobs.read(session, watch.shards(claim)[coin].rows_sha256)))
        assert measured[0]["heads"] == sum(toss.random() < 0.7 for _ in range(10)) / 10 * (1 - coin / 1000)


def test_a_forged_round_in_the_broker_opens_nothing(worker, rounds, valkey, world, anchored, at_hand):  # noqa: PLR0917 - fixtures
    claim, anchor = anchored()
    at_hand(anchor)
    right = settled(world, anchor)
    forged = {"round": right.round, "signature": right.previous.hex(), "previous": right.previous.hex()}
    with redis.Redis.from_url(valkey) as client:
        client.set(f"antedate:beacon:{world.chain.chain.hash}:{right.round}", json.dumps(forged))
    assert rounds.settled_by(anchor) is not None
    assert beacons.round_for(worker.ledger, rounds, f"{claim}-1") is None
    assert measure_shard(replace(worker, rounds=rounds, patience=timedelta(hours=1)), f"{claim}-1", 0) is None


@pytest.mark.parametrize("kept", ["", "null", '{"round": 1}', "\xff"])
def test_what_cannot_be_read_there_is_fetched_again(rounds, valkey, world, anchored, at_hand, kept):  # noqa: PLR0917 - fixtures
    _, anchor = anchored()
    at_hand(anchor)
    right = settled(world, anchor)
    with redis.Redis.from_url(valkey) as client:
        client.set(f"antedate:beacon:{world.chain.chain.hash}:{right.round}", kept)
    assert rounds.settled_by(anchor) is None
    at_hand(anchor)
    assert rounds.settled_by(anchor).round == right


def test_a_broker_that_is_down_gives_no_round_and_no_error(worker, source, anchored):
    claim, _ = anchored()
    gone = beacons.Rounds("unix:///nonexistent/nothing.sock", source.chain)
    assert beacons.round_for(worker.ledger, gone, f"{claim}-1") is None


def test_the_chain_that_everybody_knows_is_not_asked_for(mainnet_rounds):
    assert mainnet_rounds.chain() == beacon.MAINNET
