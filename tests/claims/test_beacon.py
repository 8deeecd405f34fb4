"""The beacon's rules against rounds that the League of Entropy published, and against a chain of one's own."""

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims import beacon
from claims.beacon import MAINNET, Chain, InvalidBeaconError
from tests.outside.chain import OwnChain, published

HASH = "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce"
RECORDED = json.loads((Path(__file__).parents[1] / "fixtures" / "drand_rounds.json").read_bytes())
INFORMATION = MAINNET.information()
MOMENTS = st.datetimes(datetime(2015, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis


@pytest.fixture(scope="module")
def own():
    return OwnChain(period=3, genesis=1_700_000_000)


def flipped(text, digit):
    """`text` with one hex digit changed in its lowest bit."""
    return text[:digit] + f"{int(text[digit], 16) ^ 1:x}" + text[digit + 1 :]


def test_the_hash_of_the_chain_is_the_one_that_drand_gives_it():
    assert MAINNET.hash == HASH
    assert beacon.read_chain(INFORMATION, HASH) == MAINNET


@pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer["round"])
def test_published_rounds_hold(answer):
    found = beacon.read_round(answer)
    beacon.verify(MAINNET, found)
    assert found.randomness.hex() == answer["randomness"] == hashlib.sha256(found.signature).hexdigest()


@pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer["round"])
@pytest.mark.parametrize("field", ["round", "previous"])
def test_an_altered_round_is_refused(answer, field):
    found = beacon.read_round(answer)
    value = found.round + 1 if field == "round" else bytes.fromhex(flipped(found.previous.hex(), 37))
    with pytest.raises(InvalidBeaconError, match="is not by the group"):
        beacon.verify(MAINNET, replace(found, **{field: value}))


@pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer["round"])
@pytest.mark.parametrize("digit", [0, 1, 50, 191])
def test_an_altered_signature_is_refused(answer, digit):
    found = beacon.read_round(answer)
    with pytest.raises(InvalidBeaconError, match="is not by the group"):
        beacon.verify(MAINNET, replace(found, signature=bytes.fromhex(flipped(answer["signature"], digit))))


@pytest.mark.parametrize("answer", RECORDED, ids=lambda answer: answer["round"])
def test_randomness_that_is_not_the_signatures_hash_is_refused(answer):
    with pytest.raises(InvalidBeaconError, match="not the SHA-256 of its signature"):
        beacon.read_round({**answer, "randomness": flipped(answer["randomness"], 5)})


def test_a_round_of_another_chain_is_refused(own):
    with pytest.raises(InvalidBeaconError, match="is not by the group"):
        beacon.verify(MAINNET, own.round(2))


def test_the_first_round_is_chained_to_the_group(own):
    first = own.round(1)
    assert beacon.read_round(published(first)) == first
    beacon.verify(own.chain, first)
    beacon.verify(own.chain, own.round(2))
    other = replace(own.chain, group_hash=bytes(32))
    with pytest.raises(InvalidBeaconError, match="chained to something else"):
        beacon.verify(other, first)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("round", 0),
        ("round", True),
        ("round", 2.0),
        ("round", "2"),
        ("round", 2**31 + 1),
        ("signature", None),
        ("signature", "AB" * 96),
        ("signature", "ab" * 95),
        ("previous_signature", "ab" * 32),
        ("previous_signature", " " + "ab" * 96),
        ("randomness", None),
    ],
)
def test_what_is_no_round_is_refused_in_words(field, value):
    with pytest.raises(InvalidBeaconError, match=field.partition("_")[0]):
        beacon.read_round({**RECORDED[0], field: value})


@pytest.mark.parametrize("answer", [None, [], "x", 3, {}])
def test_neither_is_what_is_no_object(answer):
    with pytest.raises(InvalidBeaconError):
        beacon.read_round(answer)
    with pytest.raises(InvalidBeaconError):
        beacon.read_chain(answer, HASH)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("public_key", flipped(INFORMATION["public_key"], 9)),
        ("period", 31),
        ("genesis_time", INFORMATION["genesis_time"] + 1),
        ("groupHash", flipped(INFORMATION["groupHash"], 9)),
        ("metadata", {"beaconID": "other"}),
        ("hash", flipped(HASH, 0)),
    ],
)
def test_information_with_another_hash_than_the_pinned_one_is_refused(field, value):
    with pytest.raises(InvalidBeaconError, match=f"not {HASH}"):
        beacon.read_chain({**INFORMATION, field: value}, HASH)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schemeID", "bls-unchained-g1-rfc9380"),
        ("schemeID", None),
        ("period", 0),
        ("period", 30.0),
        ("public_key", INFORMATION["public_key"] * 2),
        ("genesis_time", -1),
        ("metadata", None),
        ("metadata", {"beaconID": ""}),
    ],
)
def test_information_of_another_form_is_refused(field, value):
    with pytest.raises(InvalidBeaconError):
        beacon.read_chain({**INFORMATION, field: value}, HASH)


def test_a_named_chain_has_its_name_in_its_hash():
    named = replace(MAINNET, beacon_id="quick")
    assert named.hash != HASH
    assert beacon.read_chain(named.information(), named.hash) == named


def test_rounds_have_the_times_that_drand_published_them_at():
    assert beacon.time_of(MAINNET, 1) == datetime(2020, 7, 22, 15, 17, 30, tzinfo=UTC)
    assert beacon.time_of(MAINNET, 367) == datetime(2020, 7, 22, 18, 20, 30, tzinfo=UTC)


@given(MOMENTS, st.integers(1, 60), st.integers(0, 2_000_000_000))
def test_the_first_round_after_a_moment_is_after_it_and_the_one_before_is_not(moment, period, genesis):
    chain = Chain(bytes(48), period, genesis, bytes(32))
    number = beacon.first_after(chain, moment)
    assert beacon.time_of(chain, number) > moment
    assert number == 1 or beacon.time_of(chain, number - 1) <= moment


def test_a_round_published_at_that_very_moment_does_not_come_after_it():
    at = beacon.time_of(MAINNET, 367)
    assert beacon.first_after(MAINNET, at) == 368
    assert beacon.first_after(MAINNET, at - timedelta(microseconds=1)) == 367


def test_the_curve_is_loaded_only_by_those_who_check_a_signature():
    program = "import sys, claims.lifecycle, claims.precedence; sys.exit('py_ecc' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_checking_a_signature_leaves_the_stack_as_shallow_as_it_was():
    """With the depth that the library asks for, a deep file of somebody else's ends the process."""
    program = """
import json, sys
from claims import beacon
before = sys.getrecursionlimit()
beacon.bls()
assert sys.getrecursionlimit() == before
try:
    json.loads("[" * 200_000)
except RecursionError:
    sys.exit(0)
sys.exit("it was read")
"""
    subprocess.run([sys.executable, "-c", program], check=True)
