from __future__ import annotations

from typing import Any, Self

from pydantic import Field

from app.api.schemas.answers import Answer, Sha256
from claims.entries import Entry, leaf_hash


class LogEntry(Answer):
    """One entry of the log. `leaf_hash` is of the canonical JSON of the other six members."""

    seq: int
    type: str = Field(examples=["adjudicated"])
    claim: str | None
    actor: str
    time: str = Field(examples=["2026-11-30T12:00:00.000000Z"])
    payload: dict[str, Any]
    leaf_hash: Sha256

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(**entry.as_object(), leaf_hash=leaf_hash(entry.canonical()).hex())
