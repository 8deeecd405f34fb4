"""The round that a run is opened with: settled by the anchor, written down in one form."""

import copy
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims import anchored_round, beacon
from claims.anchored_round import MARGIN, Anchor, AnchoredRound
from claims.beacon import MAINNET, InvalidBeaconError, Round
from claims.canonical import canonical_bytes
from claims.entries import Entry
from claims.lifecycle import IllegalStepError, fold
from claims.precedence import precedence_once_opened
from tests.outside.chain import OwnChain

TIME = datetime(2026, 12, 1, 12, 0, 7, 250_000, tzinfo=UTC)


def settled(anchor, chain=MAINNET):
    """A round of the right number, which nobody signed."""
    return AnchoredRound(chain, Round(anchored_round.awaited(chain, anchor.time), b"s" * 96, b"p" * 96), anchor)


@pytest.fixture
def mixed():
    return settled(Anchor(12, "timestamp", "tsa.example", TIME))


@pytest.fixture
def payload(mixed):
    return mixed.as_payload()


def test_what_is_written_is_read_again(mixed, payload):
    assert anchored_round.read(json.loads(canonical_bytes(payload))) == mixed
    assert mixed.follows(11)
    assert TIME + MARGIN < mixed.time <= TIME + MARGIN + timedelta(seconds=MAINNET.period)


def test_the_randomness_is_the_rounds(mixed):
    assert mixed.randomness == mixed.round.randomness


@given(st.datetimes(datetime(2021, 1, 1), datetime(2070, 1, 1), timezones=st.just(UTC)), st.integers(-3, 3))  # noqa: DTZ001 - hypothesis
def test_only_one_round_follows_an_anchor(time, off):
    found = settled(Anchor(5, "witness", "w", time))
    moved = replace(found, round=replace(found.round, round=found.round.round + off))
    assert moved.follows(4) == (off == 0)


def test_a_round_within_the_margin_is_passed_over():
    out = beacon.time_of(MAINNET, 5_000_000)
    assert anchored_round.awaited(MAINNET, out - MARGIN) == 5_000_001
    assert anchored_round.awaited(MAINNET, out - MARGIN - timedelta(microseconds=1)) == 5_000_000


@pytest.mark.parametrize(("filed", "expected"), [("committed", "proven"), ("post_hoc", "post_hoc")])
def test_what_was_committed_is_proven_once_opened_so(mixed, filed, expected):
    assert precedence_once_opened(filed, 11, mixed) == expected


def test_it_stays_committed_without_a_beacon_or_with_one_that_could_be_chosen(mixed):
    assert precedence_once_opened("committed", 11, None) == "committed"
    assert precedence_once_opened("committed", 12, mixed) == "committed", "the checkpoint does not hold the entry"
    later = replace(mixed, round=replace(mixed.round, round=mixed.round.round + 1))
    assert precedence_once_opened("committed", 11, later) == "committed", "a later round was picked"
    early = replace(mixed, anchor=replace(mixed.anchor, time=TIME + timedelta(minutes=5)))
    assert precedence_once_opened("committed", 11, early) == "committed", "the round was out before the anchor"


def test_the_signature_is_checked_where_it_is_asked_for(mixed):
    with pytest.raises(InvalidBeaconError, match="is not by the group"):
        mixed.verify()
    own = OwnChain(period=30, genesis=int(TIME.timestamp()))
    anchor = Anchor(3, "witness", "w", TIME)
    AnchoredRound(own.chain, own.round(anchored_round.awaited(own.chain, TIME)), anchor).verify()


def changed(payload, path, value):
    payload = copy.deepcopy(payload)
    at = payload
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return payload


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["chain"], "00" * 32),
        (["chain"], None),
        (["round"], "5"),
        (["signature"], "ab"),
        (["previous"], "AB" * 96),
        (["information", "period"], 3),
        (["information", "extra"], 1),
        (["information"], None),
        (["anchor"], None),
        (["anchor", "size"], 0),
        (["anchor", "size"], True),
        (["anchor", "kind"], "friend"),
        (["anchor", "name"], ""),
        (["anchor", "time"], "2026-12-01T12:00:00Z"),
        (["anchor", "time"], 7),
        (["anchor", "time"], "9999-12-31T23:59:59.999999Z"),
        (["anchor", "extra"], 1),
        (["extra"], 1),
    ],
)
def test_any_other_form_is_refused(payload, path, value):
    with pytest.raises(InvalidBeaconError):
        anchored_round.read(changed(payload, path, value))


def life(beacon_of):
    registered = {
        "document_sha256": "ab" * 32,
        # of 32 zero bytes
        "nonce_sha256": "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
        "precedence": "committed",
    }
    opened = {"run": "a-1", "nonce": "00" * 32, "beacon": beacon_of}
    return [
        Entry(11, "registered", "claim00000000001", "ada", TIME, registered),
        Entry(14, "opened", "claim00000000001", "worker", TIME, opened),
    ]


def test_the_life_of_a_claim_tells_that_it_is_proven(payload):
    assert fold(life(payload)).precedence == "proven"
    assert fold(life(None)).precedence == "committed"
    assert fold(life(changed(payload, ["anchor", "size"], 11))).precedence == "committed"


def test_a_beacon_in_another_form_cannot_be_logged(payload):
    with pytest.raises(IllegalStepError, match="opened at 14: a beacon is null or an object"):
        fold(life({**payload, "more": 1}))


def test_rounds_at_the_end_of_the_calendar_are_read(payload):
    late = changed(payload, ["anchor", "time"], "9000-12-31T23:59:59.999999Z")
    assert not anchored_round.read(changed(late, ["round"], 2**31)).follows(11)
    assert beacon.time_of(replace(MAINNET, period=60, genesis=2**36), 2**31).year < 9999
