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

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_LINES = 3


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint says: the log's origin, its size and root (32 bytes), and extension lines as they are.

    Raises `InvalidNoteError` for what could not be written and read back.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(not line or "\n" in line for line in (self.origin, *self.extensions)):
            raise InvalidNoteError("the origin and the extensions of a checkpoint are lines, and none is empty")
        if not _SIZE.fullmatch(str(self.size)):
            raise InvalidNoteError(f"{self.size} is no size of a tree")
        if len(self.root) != HASH_BYTES:
            raise InvalidNoteError(f"the root of a tree has {HASH_BYTES} bytes, not {len(self.root)}")


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
    """What the note says, with no signature checked; raises `InvalidNoteError` for what is no checkpoint."""
    return _read(signed_note.split(note)[0])


def _read(text: str) -> Checkpoint:
    lines = text.split("\n")[:-1]
    if len(lines) < _LINES:
        raise InvalidNoteError(
            "a checkpoint is an origin, a size and a root, and then extension lines if there are any"
        )
    origin, size, encoded, *extensions = lines
    if not _SIZE.fullmatch(size):
        raise InvalidNoteError(f"{size[:40]!r} is no size of a tree: decimal digits without leading zeros")
    return Checkpoint(origin, int(size), _root(encoded), tuple(extensions))


def _root(encoded: str) -> bytes:
    try:
        root = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNoteError(f"{encoded[:80]!r} is no base64 root") from error
    if base64.b64encode(root).decode() != encoded:
        raise InvalidNoteError(f"{encoded[:80]!r} is not the base64 of a root in its one form")
    return root
