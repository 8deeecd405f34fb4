"""The one byte form of a JSON value (RFC 8785), over which every hash in the ledger is taken."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from claims.flaws import Flaw, RefusedInputError

LARGEST_INTEGER = 2**53 - 1  # beyond it, readers that hold numbers as IEEE 754 doubles would see another number


def canonical_bytes(value: Any) -> bytes:  # noqa: ANN401 - any JSON value, nested without bound
    """The RFC 8785 bytes of a JSON value.

    Raises `RefusedInputError` for what has no canonical form: NaN, infinities, integers beyond ±(2^53 - 1), text
    that is not Unicode, keys that are not strings, and types that JSON does not know.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise RefusedInputError(
            Flaw(
                "",
                "not_canonical",
                f"the value has no canonical JSON form: {error}",
                "Use finite numbers within ±(2^53 - 1), Unicode text and string keys; 64-bit values are hex strings.",
            )
        ) from error


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()
