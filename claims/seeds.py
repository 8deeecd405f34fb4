"""Seeds that nobody could know before the nonce was revealed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from claims import anchored_round

SEED_BYTES = 8

Seeds = Callable[[str], int]
"""A run's 64-bit seeds by label."""


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


def seeds_of(nonce: bytes, document_sha256: str, beacon: bytes = b"") -> Seeds:
    """`seed` for every label of one run."""
    return partial(seed, nonce, document_sha256, beacon=beacon)


def seeds_once_opened(opened: Mapping[str, Any], document_sha256: str) -> Seeds:
    """The seeds of the run that the payload of an `opened` entry reveals; raises as `anchored_round.read` does."""
    return seeds_of(bytes.fromhex(opened["nonce"]), document_sha256, randomness_of(opened))


def randomness_of(opened: Mapping[str, Any]) -> bytes:
    """What the beacon adds to every seed of an opened run: 32 bytes, or none where no round was mixed in."""
    beacon = opened["beacon"]
    return b"" if beacon is None else anchored_round.read(beacon).randomness
