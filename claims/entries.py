"""One event of the append-only log: its types, its bytes and its leaf hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from claims.canonical import canonical_bytes

ENTRY_TYPES: tuple[str, ...] = (
    "registered",
    "unsealed",
    "forecast",
    "opened",
    "run_ended",
    "evidence_recorded",
    "refused",
    "adjudicated",
    "voided",
    "superseded",
    "corrected",
    "contradicted",
    "withdrawn",
    "reproduced",
    "contested",
    "imported",
    "noted",
)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """An entry at position `seq` (from 0) of the log; `claim` is None where it concerns no single claim."""

    seq: int
    type: str
    claim: str | None
    actor: str
    time: datetime
    payload: Mapping[str, Any]

    def __post_init__(self) -> None:
        if self.type not in ENTRY_TYPES:
            raise ValueError(f"{self.type!r} is no entry type: use one of {', '.join(ENTRY_TYPES)}")
        if self.seq < 0:
            raise ValueError(f"the first entry has seq 0, not {self.seq}")

    def as_object(self) -> dict[str, Any]:
        """The entry as the JSON object of the wire format."""
        return {
            "seq": self.seq,
            "type": self.type,
            "claim": self.claim,
            "actor": self.actor,
            "time": format_time(self.time),
            "payload": dict(self.payload),
        }

    def canonical(self) -> bytes:
        return canonical_bytes(self.as_object())

    @classmethod
    def from_object(cls, wire: Mapping[str, Any]) -> Entry:
        """The entry that `as_object` wrote; raises ValueError (or KeyError) for anything else."""
        if set(wire) != {"seq", "type", "claim", "actor", "time", "payload"}:
            raise ValueError(f"an entry has six keys, not {sorted(wire)}")
        return cls(**{**wire, "time": parse_time(wire["time"])})


def leaf_hash(canonical: bytes) -> bytes:
    """SHA-256(0x00 ‖ canonical bytes): the leaf of RFC 6962, section 2.1."""
    return hashlib.sha256(b"\x00" + canonical).digest()


def format_time(moment: datetime) -> str:
    """RFC 3339 in UTC, always six digits of microseconds and `Z`; a naive time is refused, not guessed."""
    if moment.tzinfo is None:
        raise ValueError("a time in the ledger knows its zone")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def parse_time(text: str) -> datetime:
    """The inverse of `format_time`; any other form of RFC 3339 is refused, as it would have other bytes."""
    if not _TIME.fullmatch(text):
        raise ValueError(f"{text!r} is not of the form 2026-11-30T12:00:00.000000Z")
    return datetime.fromisoformat(text)
