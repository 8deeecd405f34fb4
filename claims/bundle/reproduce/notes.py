"""Signed notes (https://c2sp.org/signed-note) and what the log signs: its checkpoint and a receipt."""

from __future__ import annotations

import base64
import binascii
import hashlib

from claims.bundle.reproduce.ed25519 import KEY_BYTES, signature_holds
from claims.bundle.reproduce.files import MismatchError, require

ED25519 = b"\x01"
KEY_ID_BYTES = 4
DASH = "\N{EM DASH} "


class Key:
    """A verifier key `<name>+<id>+<base64>`: its name, its id and its 32 public bytes."""

    def __init__(self, vkey: str, where: str) -> None:
        self.name, _, rest = vkey.partition("+")
        stated, _, encoded = rest.partition("+")
        key = unbase64(encoded, where)
        require(key[:1] == ED25519 and len(key) == 1 + KEY_BYTES, where + ": it is no Ed25519 key in vkey form")
        self.public = key[1:]
        self.id = hashlib.sha256(self.name.encode("utf-8") + b"\n" + key).digest()[:KEY_ID_BYTES]
        require(self.id.hex() == stated, f"{where}: it says id {stated}, and its bytes give {self.id.hex()}")

    def __str__(self) -> str:
        return self.name + "+" + self.id.hex()


def signed_text(note: str, key: Key, where: str) -> str:
    """The text of a note that bears exactly one signature, by `key`."""
    text, blank, signature = note.rpartition("\n\n")
    begins = DASH + key.name + " "
    require(blank != "" and signature.startswith(begins), f"{where}: it is not signed by {key}")
    require(
        signature.endswith("\n") and signature.count("\n") == 1, where + ": it bears other lines than one signature"
    )
    signed = unbase64(signature[len(begins) : -1], where)
    require(signed[:KEY_ID_BYTES] == key.id, f"{where}: it is signed by another key than {key}")
    holds = signature_holds(key.public, (text + "\n").encode("utf-8"), signed[KEY_ID_BYTES:])
    require(holds, f"{where}: the signature by {key} does not hold")
    return text + "\n"


def unbase64(text: str, where: str) -> bytes:
    try:
        data = base64.b64decode(text.encode("utf-8"), validate=True)
    except binascii.Error as error:
        raise MismatchError(f"{where}: {text[:80]!r} is not base64") from error
    require(base64.b64encode(data).decode("ascii") == text, f"{where}: {text[:80]!r} is not base64 in its one form")
    return data
