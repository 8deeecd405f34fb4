import base64
import struct
from datetime import UTC, datetime, timedelta, timezone

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from claims import checkpoint, cosignature, signed_note
from claims.checkpoint import Checkpoint
from claims.signed_note import InvalidNoteError

LOG, KEY = Ed25519PrivateKey.from_private_bytes(b"1" * 32), Ed25519PrivateKey.from_private_bytes(b"2" * 32)
NAME, WITNESS = "antedate/main", "witness.example/w1"
VKEY = cosignature.vkey(WITNESS, KEY.public_key())
HEAD = Checkpoint(NAME, 5, bytes(range(32)))
NOTE = checkpoint.sign(HEAD, NAME, LOG)
TIME = datetime(2026, 12, 1, 1, 2, 3, tzinfo=UTC)
LINE = cosignature.cosign(NOTE, WITNESS, KEY, TIME)
COSIGNED = cosignature.with_lines(NOTE, [LINE])
# Keys of witnesses, with their seeds, from the tests of transparency-dev/tessera (append_lifecycle_test.go).
TESSERA = {
    "Wit1+4dd489c8+BDd/u4KCwMnyfkbOqopYZJIGSuMxMnjGav6Pjb9W8Y3c": "AVq3ou1kOLb/aTkJLoMwbMULJQNr8EQVGbpyZxMEZMyT",
    "Wit2+ef71459d+BJ1w/MdWovBzZtRD4pNwmb9SHl1U+hZzCMsgx6MmMJ0L": "AXLjVp1/sY1o5exVavpVt8zWIVFAD7ejqaMBU38CoYgg",
    "Wit3+e1fc6196+BO1XsCjtkV0G56JUYj7n6LykElL1GcNo1BytsQMsRjyZ": "AS6qbV1WaGUoVgAz3CajG9iCm1pLZ5eUTKBD6XxJVl5x",
}
# A checkpoint of transparency.dev's staging log as the witness remora.n621.de cosigned it, among others.
REMORA = "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
REAL = (
    "arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n\n"
    "— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g"
    "8Ei59RA23oHP7Ry1k3ZFWwQ=\n"
    "— witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbq"
    "mNWVuE0tgh0XwzdZsDsUAQ==\n"
    "— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB"
    "0DrAWfBw==\n"
)
SMARTIT = "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO"


def test_cosignatures_of_witnesses_in_the_wild():
    for vkey in (REMORA, SMARTIT):
        assert cosignature.verify(REAL, vkey) == datetime.fromtimestamp(0x6A122120, UTC)
        with pytest.raises(InvalidNoteError, match="does not hold"):
            cosignature.verify(REAL.replace("1432088532", "1432088533"), vkey)


@pytest.mark.parametrize("vkey", TESSERA)
def test_published_keys_of_witnesses(vkey):
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(TESSERA[vkey])[1:])
    name = vkey.partition("+")[0]
    assert cosignature.vkey(name, key.public_key()) == vkey
    assert cosignature.read_vkey(vkey).name == name
    assert cosignature.verify(cosignature.with_lines(NOTE, [cosignature.cosign(NOTE, name, key, TIME)]), vkey) == TIME


def test_what_is_signed_in_letters():
    """The message and the signature's layout, as the specification writes them."""
    dash, name, encoded = LINE.split(" ")
    signed = base64.b64decode(encoded)
    seconds = int(TIME.timestamp())
    body = NOTE.partition("\n\n")[0] + "\n"
    assert (dash, name) == ("—", WITNESS)
    assert signed[4:12] == struct.pack(">Q", seconds)
    assert len(signed) == 4 + 8 + 64
    KEY.public_key().verify(signed[12:], f"cosignature/v1\ntime {seconds}\n{body}".encode())


@given(st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30)), st.integers(-12, 12))  # noqa: DTZ001 - made aware
def test_the_time_is_told_in_whole_seconds(time, hours):
    aware = time.replace(tzinfo=timezone(timedelta(hours=hours)))
    note = cosignature.with_lines(NOTE, [cosignature.cosign(NOTE, WITNESS, KEY, aware)])
    assert cosignature.verify(note, VKEY) == aware.replace(microsecond=0)


def test_a_second_is_over_when_it_is_over():
    last = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)  # as a float of seconds it is in the year 10000
    note = cosignature.with_lines(NOTE, [cosignature.cosign(NOTE, WITNESS, KEY, last)])
    assert cosignature.verify(note, VKEY) == last.replace(microsecond=0)


def test_the_log_and_several_witnesses_beside():
    other = Ed25519PrivateKey.from_private_bytes(b"3" * 32)
    later = cosignature.cosign(NOTE, "witness.example/w2", other, TIME + timedelta(1))
    note = cosignature.with_lines(NOTE, [LINE, later])
    assert checkpoint.verify(note, signed_note.vkey(NAME, LOG.public_key())) == HEAD
    assert cosignature.verify(note, VKEY) == TIME
    assert cosignature.verify(note, cosignature.vkey("witness.example/w2", other.public_key())) == TIME + timedelta(1)
    assert cosignature.cosign(note, WITNESS, KEY, TIME) == LINE


def test_extension_lines_are_cosigned():
    note = checkpoint.sign(Checkpoint(NAME, 5, HEAD.root, ("extension",)), NAME, LOG)
    cosigned = cosignature.with_lines(note, [cosignature.cosign(note, WITNESS, KEY, TIME)])
    assert cosignature.verify(cosigned, VKEY) == TIME
    with pytest.raises(InvalidNoteError, match="does not hold"):
        cosignature.verify(cosigned.replace("extension\n", ""), VKEY)


def test_any_change_of_a_byte_of_text_or_cosignature_is_noticed():
    note = COSIGNED.encode()
    logs = COSIGNED.index(f"— {NAME}"), COSIGNED.index(f"— {WITNESS}")
    start, stop = (len(COSIGNED[:index].encode()) for index in logs)
    for index in (*range(start), *range(stop, len(note))):
        for flipped in (note[index] ^ 1, note[index] ^ 0x20):
            with pytest.raises((InvalidNoteError, UnicodeDecodeError)):
                cosignature.verify((note[:index] + bytes([flipped]) + note[index + 1 :]).decode(), VKEY)


def _line(stamped: bytes) -> str:
    return signed_note.signature_line(WITNESS, cosignature.read_vkey(VKEY).id, stamped)


def _stamped(seconds: int) -> bytes:
    body = NOTE.partition("\n\n")[0] + "\n"
    return struct.pack(">Q", seconds) + KEY.sign(f"cosignature/v1\ntime {seconds}\n{body}".encode())


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "0 signatures"),
        ([LINE, LINE], "2 signatures"),
        ([_line(_stamped(5)[:-1])], "has 71 bytes"),
        ([_line(_stamped(5) + b"0")], "has 73 bytes"),
        ([_line(b"0")], "has 1 bytes"),
        ([_line(_stamped(0))], "states no time"),
        ([_line(_stamped(253402300800))], "states no time"),
        ([_line(_stamped(2**64 - 1))], "states no time"),
        ([_line(struct.pack(">Q", 6) + _stamped(5)[8:])], "does not hold"),
        ([LINE.replace(WITNESS, "witness.example/w2")], "0 signatures"),
        ([cosignature.cosign(NOTE, WITNESS, LOG, TIME)], "0 signatures"),
        ([NOTE.rpartition("\n\n")[2][:-1].replace(NAME, WITNESS)], "0 signatures"),
        (["no line"], "no signature line"),
        ([""], "text, a blank line"),
    ],
)
def test_what_does_not_hold(lines, why):
    with pytest.raises(InvalidNoteError, match=why):
        cosignature.verify(cosignature.with_lines(NOTE, lines), VKEY)


def test_a_plain_signature_by_the_same_key_is_no_cosignature():
    """The key ids differ by the type, and the message by its first line."""
    plain = signed_note.vkey(WITNESS, KEY.public_key())
    note = checkpoint.sign(Checkpoint(WITNESS, 5, HEAD.root), WITNESS, KEY)
    with pytest.raises(InvalidNoteError, match="0 signatures"):
        cosignature.verify(note, VKEY)
    with pytest.raises(InvalidNoteError, match="type 0x01, not 0x04"):
        cosignature.verify(note, plain)
    with pytest.raises(InvalidNoteError, match="0 signatures"):
        signed_note.verify(COSIGNED, plain)
    with pytest.raises(InvalidNoteError, match="type 0x04, not 0x01"):
        signed_note.verify(COSIGNED, VKEY)


@pytest.mark.parametrize(
    "bad", ["", WITNESS, VKEY[:-4], VKEY.replace("w1", "w2"), VKEY + "=", f"{WITNESS}+00000000+BA=="]
)
def test_keys_that_are_none(bad):
    with pytest.raises(InvalidNoteError):
        cosignature.read_vkey(bad)


def test_only_checkpoints_are_cosigned():
    note = signed_note.sign("anything else\n", NAME, LOG)
    with pytest.raises(InvalidNoteError, match="a checkpoint is"):
        cosignature.cosign(note, WITNESS, KEY, TIME)
    with pytest.raises(InvalidNoteError, match="a checkpoint is"):
        cosignature.verify(note + f"{LINE}\n", VKEY)
    with pytest.raises(InvalidNoteError, match="a note is"):
        cosignature.cosign("no note", WITNESS, KEY, TIME)


@pytest.mark.parametrize("time", [datetime(1969, 12, 31, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC)])
def test_times_that_cannot_be_stated(time):
    with pytest.raises(InvalidNoteError, match="after 1970"):
        cosignature.cosign(NOTE, WITNESS, KEY, time)
