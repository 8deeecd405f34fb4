"""The receipt that a registrant gets, as the 201 answer's body."""

from __future__ import annotations

import base64
from typing import Any

from app.ledger.signing import Signing
from claims.entries import Entry, format_time, leaf_hash
from claims.receipts import text_of

ECHOED = ("document_sha256", "service", "instrument", "nonce_sha256", "precedence", "check")


def receipt_of(entry: Entry, *, signing: Signing, public_url: str) -> dict[str, Any]:
    """The receipt of a `registered` entry: what was frozen, the entry's bytes, and a note signed over its leaf."""
    canonical = entry.canonical()
    return {
        "claim": entry.claim,
        "url": f"{public_url.rstrip('/')}/claims/{entry.claim}",
        "registrant": entry.actor,
        "filed": format_time(entry.time),
        **{key: entry.payload[key] for key in ECHOED},
        "entry": {
            "object": entry.as_object(),
            "canonical": base64.b64encode(canonical).decode(),
            "leaf_hash": leaf_hash(canonical).hex(),
        },
        "note": signing.sign(text_of(entry, signing.log)),
        "vkey": signing.vkey,
    }
