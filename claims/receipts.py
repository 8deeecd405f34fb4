"""The receipt of a filing: a signed note over the `registered` entry, checkable without the log."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime

from claims.entries import Entry, format_time, leaf_hash, parse_time
from claims.signed_note import InvalidNoteError, verify

_LINES = 6


@dataclass(frozen=True)
class Receipt:
    """What a receipt says. `origin` is `antedate/<log name>/receipt`; `leaf_hash` is over the entry's bytes."""

    origin: str
    claim: str
    seq: int
    leaf_hash: bytes
    document_sha256: str
    filed: datetime


def origin(log: str) -> str:
    """The first line of every receipt of a log: a signed note for one purpose cannot pass for another."""
    return f"antedate/{log}/receipt"


def text_of(entry: Entry, log: str) -> str:
    """Six lines: origin, claim, seq, base64 leaf hash, document SHA-256, time filed."""
    lines = (
        origin(log),
        str(entry.claim),
        str(entry.seq),
        base64.b64encode(leaf_hash(entry.canonical())).decode(),
        str(entry.payload["document_sha256"]),
        format_time(entry.time),
    )
    return "\n".join(lines) + "\n"


def check(note: str, vkey: str) -> Receipt:
    """What the note says, once signed by `vkey`; raises `InvalidNoteError` otherwise."""
    lines = verify(note, vkey).splitlines()
    if len(lines) != _LINES or not lines[0].startswith("antedate/") or not lines[0].endswith("/receipt"):
        raise InvalidNoteError("the note is signed, but it is not a receipt")
    first, claim, seq, leaf, document, filed = lines
    try:
        return Receipt(first, claim, int(seq), base64.b64decode(leaf, validate=True), document, parse_time(filed))
    except ValueError as error:
        raise InvalidNoteError(f"the note is signed, but it is not a receipt: {error}") from error
