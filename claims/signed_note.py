"""Signed notes with Ed25519, after the C2SP specification (https://c2sp.org/signed-note)."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = b"\x01"
_KEY_ID_BYTES = 4
_SIGNATURE_LINE = "— "
_BLANK_LINE = "\n\n"


class InvalidNoteError(ValueError):
    """A note or a verifier key that is not well formed, or a signature that does not hold."""


def sign(text: str, name: str, key: Ed25519PrivateKey) -> str:
    """`text` (which ends with a line end) with a blank line and the signature line of key `name`.

    Raises `InvalidNoteError` for text that could not be read back: not ended, or with control characters.
    """
    _check_name(name)
    _check_text(text)
    line = signature_line(name, key_id(name, key.public_key()), key.sign(text.encode()))
    return f"{text}\n{line}\n"


def verify(note: str, vkey: str) -> str:
    """The text of `note`, once the signature by `vkey` holds; signatures by other keys are left alone.

    Raises `InvalidNoteError` when the note is malformed, not signed by that key, or wrongly signed.
    """
    key = read_vkey(vkey, ED25519)
    text, signature = signed_by(note, key)
    check_signature(key, signature, text.encode())
    return text


@dataclass(frozen=True)
class VerifierKey:
    """A key by which signatures are checked: its name, its id of four bytes, its public part."""

    name: str
    id: bytes
    public: Ed25519PublicKey

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}"


@dataclass(frozen=True)
class Signature:
    """What a signature line says: who signed, under which key id, and the signature's own bytes."""

    name: str
    key_id: bytes
    signature: bytes


def split(note: str) -> tuple[str, list[Signature]]:
    """The text of `note` and what its signature lines say, none of it checked against a key.

    Raises `InvalidNoteError` when the note is malformed.
    """
    body, blank, signatures = note.rpartition(_BLANK_LINE)
    if not blank or not signatures.endswith("\n"):
        raise InvalidNoteError("a note is text, a blank line and signature lines")
    _check_characters(note)
    return f"{body}\n", [_read_line(line) for line in signatures[:-1].split("\n")]


def signed_by(note: str, key: VerifierKey) -> tuple[str, bytes]:
    """The text of `note` and its one signature line's bytes under `key`, which are not checked here.

    Raises `InvalidNoteError` when the note is malformed, or carries none by that key, or several.
    """
    text, signatures = split(note)
    theirs = [line.signature for line in signatures if (line.name, line.key_id) == (key.name, key.id)]
    if len(theirs) != 1:
        raise InvalidNoteError(f"the note carries {len(theirs)} signatures by {key}, not one")
    return text, theirs[0]


def check_signature(key: VerifierKey, signature: bytes, message: bytes) -> None:
    """Raises `InvalidNoteError` unless the signature over `message` holds."""
    try:
        key.public.verify(signature, message)
    except InvalidSignature as error:
        raise InvalidNoteError(f"the signature by {key} does not hold for this text") from error


def vkey(name: str, public: Ed25519PublicKey, kind: bytes = ED25519) -> str:
    """The verifier key: `<name>+<key id in hex>+<base64 of the signature type ‖ public key>`."""
    _check_name(name)
    return f"{name}+{key_id(name, public, kind).hex()}+{_base64(kind + public.public_bytes_raw())}"


def signature_line(name: str, id_: bytes, signature: bytes) -> str:
    """The line, without its end, that a signature stands on."""
    _check_name(name)
    return f"{_SIGNATURE_LINE}{name} {_base64(id_ + signature)}"


def name_of(vkey: str) -> str:
    """The name of the key; raises `InvalidNoteError` for what is no verifier key of this type."""
    return read_vkey(vkey, ED25519).name


def read_vkey(text: str, kind: bytes) -> VerifierKey:
    """The verifier key that `vkey` wrote for signatures of this type; raises `InvalidNoteError` for anything else."""
    name, _, rest = text.partition("+")
    hex_id, _, encoded = rest.partition("+")
    _check_name(name)
    key = _unbase64(encoded)
    if key[:1] != kind:
        raise InvalidNoteError(f"the verifier key {name} is of signature type 0x{key[:1].hex()}, not 0x{kind.hex()}")
    try:
        public = Ed25519PublicKey.from_public_bytes(key[1:])
    except ValueError as error:
        raise InvalidNoteError(f"the verifier key {name} does not hold 32 bytes of public key") from error
    found = VerifierKey(name, key_id(name, public, kind), public)
    if hex_id != found.id.hex():
        raise InvalidNoteError(f"the verifier key {name} carries the id {hex_id}, its bytes give {found.id.hex()}")
    return found


def key_id(name: str, public: Ed25519PublicKey, kind: bytes = ED25519) -> bytes:
    """The first four bytes of SHA-256(name ‖ 0x0A ‖ signature type ‖ public key)."""
    return hashlib.sha256(name.encode() + b"\n" + kind + public.public_bytes_raw()).digest()[:_KEY_ID_BYTES]


def _read_line(line: str) -> Signature:
    signer, space, encoded = line.removeprefix(_SIGNATURE_LINE).partition(" ")
    if not line.startswith(_SIGNATURE_LINE) or not space:
        raise InvalidNoteError(f"{line[:80]!r} is no signature line")
    _check_name(signer)
    signature = _unbase64(encoded)
    if len(signature) <= _KEY_ID_BYTES:
        raise InvalidNoteError(f"the signature by {signer} is too short")
    return Signature(signer, signature[:_KEY_ID_BYTES], signature[_KEY_ID_BYTES:])


def _check_name(name: str) -> None:
    if not name or "+" in name or any(character.isspace() for character in name):
        raise InvalidNoteError(f"{name!r} is no key name: it is not empty and holds neither spaces nor plus signs")
    _check_characters(name)


def _check_text(text: str) -> None:
    if not text.endswith("\n"):
        raise InvalidNoteError("the text of a note ends with a line end")
    _check_characters(text)


def _check_characters(text: str) -> None:
    if any(character < " " and character != "\n" for character in text):
        raise InvalidNoteError("a note holds no control characters but line ends")
    if any("\ud800" <= character <= "\udfff" for character in text):  # JSON can escape them, UTF-8 has none
        raise InvalidNoteError("a note is valid UTF-8, and half a surrogate pair is not")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _unbase64(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidNoteError(f"{text[:80]!r} is not base64") from error
    if _base64(data) != text:  # one text for one key: the decoder forgives padding and spare bits
        raise InvalidNoteError(f"{text[:80]!r} is not base64 in its one form")
    return data
