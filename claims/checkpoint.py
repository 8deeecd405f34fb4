"""Checkpoints: signed heads of the log, after C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims import signed_note
from claims.merkle import HASH_BYTES
from claims.signed_note import InvalidNoteError

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_LINES = 3


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint says: the log's origin, the its size and root, and extension lines as they are."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


def body(checkpoint: Checkpoint) -> str:
    """The text that is signed: origin, size in decimal, base64 root, then extension lines, each ended."""
    root = base64.b64encode(checkpoint.root).decode()
    return "".join(f"{line}\n" for line in (checkpoint.origin, str(checkpoint.size), root, *checkpoint.extensions))


def sign(checkpoint: Checkpoint, name: str, key: Ed25519PrivateKey) -> str:
    """The checkpoint as a note signed by `key`, called `name`."""
    return signed_note.sign(body(checkpoint), name, key)


def verify(note: str, vkey: str) -> Checkpoint:
    """What the note says, once signed by `vkey`, whose name is the origin; raises `InvalidNoteError` otherwise."""
    checkpoint = _read(signed_note.verify(note, vkey))
    name = vkey.partition("+")[0]
    if checkpoint.origin != name:
        raise InvalidNoteError(f"the key is of the log {name}, and the checkpoint of {checkpoint.origin}")
    return checkpoint


def parse(note: str) -> Checkpoint:
    """What the note says, with no signature looked at; raises `InvalidNoteError` for what is no checkpoint."""
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not signatures.endswith("\n"):
        raise InvalidNoteError("a note is text, a blank line and signature lines")
    return _read(f"{text}\n")


def _read(text: str) -> Checkpoint:
    lines = text.split("\n")[:-1]
    if len(lines) < _LINES or not all(lines):
        raise InvalidNoteError("a checkpoint is an origin, a size, a root, and extension lines that are not empty")
    origin, size, encoded, *extensions = lines
    if not _SIZE.fullmatch(size):
        raise InvalidNoteError(f"{size[:40]!r} is no size of a tree: decimal digits without leading zeros")
    return Checkpoint(origin, int(size), _root(encoded), tuple(extensions))


def _root(encoded: str) -> bytes:
    try:
        root = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNoteError(f"{encoded[:80]!r} is no base64 root") from error
    if len(root) != HASH_BYTES or base64.b64encode(root).decode() != encoded:
        raise InvalidNoteError(f"{encoded[:80]!r} is not the base64 of 32 bytes in its one form")
    return root
