import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.entries import ENTRY_TYPES, Entry, format_time, leaf_hash, parse_time

NOON = datetime(2026, 11, 30, 12, 0, 0, 5, tzinfo=UTC)


def test_the_wire_format_to_the_byte():
    entry = Entry(0, "noted", None, "local", NOON, {"b": 1.0, "a": "é"})
    assert (
        entry.canonical()
        == (
            '{"actor":"local","claim":null,"payload":{"a":"é","b":1},"seq":0,'
            '"time":"2026-11-30T12:00:00.000005Z","type":"noted"}'
        ).encode()
    )
    assert leaf_hash(entry.canonical()) == hashlib.sha256(b"\x00" + entry.canonical()).digest()


def test_an_entry_survives_its_wire_form():
    entry = Entry(7, "opened", "abcdefabcdef", "worker", NOON, {"run": "r1", "nonce": "00", "beacon": None})
    again = Entry.from_object(json.loads(entry.canonical()))
    assert again == entry
    assert again.canonical() == entry.canonical()


def test_the_closed_list_of_types():
    assert len(ENTRY_TYPES) == len(set(ENTRY_TYPES)) == 17
    with pytest.raises(ValueError, match="no entry type"):
        Entry(0, "deleted", None, "local", NOON, {})
    with pytest.raises(ValueError, match="seq 0"):
        Entry(-1, "noted", None, "local", NOON, {})


def test_an_object_with_other_keys_is_no_entry():
    wire = Entry(0, "noted", None, "local", NOON, {}).as_object()
    with pytest.raises(ValueError, match="six keys"):
        Entry.from_object({**wire, "extra": 1})


@given(
    st.datetimes(
        min_value=datetime(1, 1, 2),  # noqa: DTZ001 - hypothesis adds the zone
        timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
    )
)
def test_times_are_utc_with_microseconds(moment):
    text = format_time(moment)
    assert len(text) == 27
    assert text.endswith("Z")
    assert parse_time(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T12:00:00Z",
        "2026-11-30T12:00:00.000000+00:00",
        "2026-11-30 12:00:00.000000Z",
        "2026-11-30T12:00:00.000000Z\n",
    ],
)
def test_other_forms_of_a_time_are_refused(text):
    with pytest.raises(ValueError, match="form"):
        parse_time(text)


def test_a_naive_time_is_refused():
    with pytest.raises(ValueError, match="zone"):
        format_time(NOON.replace(tzinfo=None))
