"""Seeds that nobody could know before the nonce was revealed."""

from __future__ import annotations

import hashlib
import hmac

SEED_BYTES = 8


def seed(nonce: bytes, document_sha256: str, label: str, beacon: bytes = b"") -> int:
    """The 64-bit seed of `label`: one use of randomness in a run, such as `organism/3/train` or `bootstrap`.

    HMAC-SHA256 with the nonce as key over document hash (32 bytes) ‖ 0x00 ‖ beacon ‖ 0x00 ‖ label in UTF-8; its
    first 8 bytes, big-endian. `document_sha256` is in hex; raises ValueError when it is not 32 bytes.
    """
    document = bytes.fromhex(document_sha256)
    if len(document) != hashlib.sha256().digest_size:
        raise ValueError("a document hash has 64 hex digits")
    message = document + b"\x00" + beacon + b"\x00" + label.encode()
    return int.from_bytes(hmac.digest(nonce, message, "sha256")[:SEED_BYTES], "big")
