"""The log's key: an Ed25519 key in a file that nobody else may read."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from claims import signed_note

OTHERS = 0o077


class SigningKeyError(RuntimeError):
    """The key's file cannot be used; the text says what to do."""


@dataclass(frozen=True)
class Signing:
    """Who signs for a log. The key's name is the log's origin, `antedate/<log>`."""

    log: str
    key: Ed25519PrivateKey

    @property
    def name(self) -> str:
        return f"antedate/{self.log}"

    @property
    def vkey(self) -> str:
        return signed_note.vkey(self.name, self.key.public_key())

    def sign(self, text: str) -> str:
        return signed_note.sign(text, self.name, self.key)


def load_or_create(path: Path, log: str) -> Signing:
    """The key in `path` (PEM, mode 0600), made on the first start.

    Raises `SigningKeyError` for a file that others may read or that holds something else.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        _create(path)
    if path.stat().st_mode & OTHERS:
        raise SigningKeyError(f"{path} may be read by others: run `chmod 600 {path}`, and replace the key if it leaked")
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except ValueError as error:
        raise SigningKeyError(f"{path} holds no private key: restore it from its backup") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningKeyError(f"{path} holds a key of another kind: the log signs with Ed25519")
    return Signing(log, key)


def _create(path: Path) -> None:
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)  # unlike rename, never over a key that another process has just made
    except FileExistsError:
        pass
    finally:
        Path(draft).unlink()
