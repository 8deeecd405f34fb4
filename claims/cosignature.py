"""A witness's cosignature of a checkpoint, version 1, after C2SP tlog-cosignature (https://c2sp.org/tlog-cosignature).

It says: at this time, this was the largest consistent tree of this log that the witness had seen.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from claims import checkpoint, signed_note
from claims.signed_note import InvalidNoteError, VerifierKey

COSIGNATURE = b"\x04"
_TIME = struct.Struct(">Q")
_SIGNATURE_BYTES = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253402300799  # the last second of the year 9999


def vkey(name: str, public: Ed25519PublicKey) -> str:
    """The witness's verifier key, of signature type 0x04."""
    return signed_note.vkey(name, public, COSIGNATURE)


def read_vkey(text: str) -> VerifierKey:
    """Raises `InvalidNoteError` for what is no verifier key of a witness."""
    return signed_note.read_vkey(text, COSIGNATURE)


def cosign(note: str, name: str, key: Ed25519PrivateKey, time: datetime) -> str:
    """The signature line, without its end, by which witness `name` cosigns the checkpoint `note` at `time`.

    A cosignature tells whole seconds: those of `time` that have passed. Raises `InvalidNoteError` for a note that is no
    checkpoint, and for a time that is not after 1970.
    """
    checkpoint.parse(note)
    text, _ = signed_note.split(note)
    seconds = (time - _EPOCH) // timedelta(seconds=1)  # whole numbers: a float of seconds may round up
    if seconds <= 0:
        raise InvalidNoteError(f"a cosignature states a time after 1970, not {time.isoformat()}")
    signature = _TIME.pack(seconds) + key.sign(_message(text, seconds))
    return signed_note.signature_line(name, signed_note.key_id(name, key.public_key(), COSIGNATURE), signature)


def verify(note: str, vkey: str) -> datetime:
    """When the witness saw the checkpoint; raises `InvalidNoteError` unless its one cosignature holds."""
    key = read_vkey(vkey)
    checkpoint.parse(note)
    text, stamped = signed_note.signed_by(note, key)
    if len(stamped) != _TIME.size + _SIGNATURE_BYTES:
        raise InvalidNoteError(f"the cosignature by {key} has {len(stamped)} bytes: a time of 8, a signature of 64")
    seconds: int = _TIME.unpack(stamped[: _TIME.size])[0]
    if not 0 < seconds <= _LATEST:
        raise InvalidNoteError(f"the cosignature by {key} states no time: {seconds} seconds after 1970")
    signed_note.check_signature(key, stamped[_TIME.size :], _message(text, seconds))
    return datetime.fromtimestamp(seconds, UTC)


def with_lines(note: str, lines: Sequence[str]) -> str:
    """The note with these signature lines behind its own."""
    return note + "".join(f"{line}\n" for line in lines)


def _message(text: str, seconds: int) -> bytes:
    return f"cosignature/v1\ntime {seconds}\n{text}".encode()
