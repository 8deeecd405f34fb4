"""The same Idempotency-Key with the same request gets the first answer again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, text
from sqlmodel import Session, select

from app.ledger.errors import IdempotencyKeyReusedError
from app.ledger.tables import IdempotentRequest


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]


def recall(session: Session, registrant: str, key: str, request: bytes) -> Answer | None:
    """The first answer to this request under this key, or None when it is the first.

    Until the transaction ends no other request with this key goes on. Raises `IdempotencyKeyReusedError` when the
    key came with other bytes.
    """
    lock = hashlib.sha256(f"idempotency\0{registrant}\0{key}".encode()).digest()[:8]
    session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": int.from_bytes(lock, "big", signed=True)})
    first = session.exec(
        select(IdempotentRequest).where(IdempotentRequest.registrant == registrant, IdempotentRequest.key == key)
    ).one_or_none()
    if first is None:
        return None
    if first.request_sha256 != hashlib.sha256(request).hexdigest():
        raise IdempotencyKeyReusedError
    return Answer(first.status, first.body)


def remember(session: Session, registrant: str, key: str, request: bytes, answer: Answer) -> None:
    """Keep the answer, in the transaction that did what it says."""
    session.execute(
        insert(IdempotentRequest).values(
            registrant=registrant,
            key=key,
            request_sha256=hashlib.sha256(request).hexdigest(),
            status=answer.status,
            body=answer.body,
            created=func.now(),
        )
    )
