"""Documents up to 48 KiB stand in an entry's payload, larger ones beside it as a blob.

A whole entry has at most 65,535 bytes, which leaves room for what else stands in it.
"""

from __future__ import annotations

import json
from typing import Any

from sqlmodel import Session

from app.ledger import blobs
from claims.canonical import canonical_bytes

INLINE_BYTES = 48 * 1024
REFERENCE = {"sha256", "size"}


def enclose(session: Session, document: dict[str, Any], canonical: bytes, *, beside: int = 0) -> dict[str, Any]:
    """What stands in the payload for `document`: itself, or `{sha256, size}` of its canonical bytes.

    `beside` is how many bytes of people's words stand in the same entry.
    """
    if len(canonical) + beside <= INLINE_BYTES:
        return document
    return {"sha256": blobs.put(session, canonical, "application/json"), "size": len(canonical)}


def canonical_of(session: Session, enclosed: dict[str, Any]) -> bytes:
    """The canonical bytes of the document that `enclose` put there."""
    if set(enclosed) == REFERENCE:
        return blobs.read(session, enclosed["sha256"])
    return canonical_bytes(enclosed)


def document_of(session: Session, enclosed: dict[str, Any]) -> dict[str, Any]:
    """The document that `enclose` put there."""
    if set(enclosed) != REFERENCE:
        return enclosed
    document: dict[str, Any] = json.loads(blobs.read(session, enclosed["sha256"]))
    return document
