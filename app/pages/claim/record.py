"""What the ledger holds of one claim, as its page needs it: read in one transaction, then free of the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.ledger.records import Link
from claims.entries import Entry
from claims.evidence import Evidence
from claims.registration.model import Registration


@dataclass(frozen=True)
class Reason:
    """Why something is void: the word of the closed list, the figures, what to do. `hypothesis` is None for a study."""

    reason: str
    hypothesis: str | None
    figures: Mapping[str, Any]
    remedy: str


@dataclass(frozen=True)
class Work:
    """How far a run is. `eta_seconds` is None until there is a rate to go by."""

    run: str
    status: str
    rows_done: int
    rows_total: int
    shards_done: int
    shards_total: int
    eta_seconds: float | None
    failure: str | None


@dataclass(frozen=True)
class ClaimRecord:
    """`document` is the frozen one's canonical bytes; `entries` are the claim's own, in order of the log; `evidence`
    is what the deciding run found. `recomputed` says whether the logged verdict follows from it when computed again,
    None where there is nothing to compute it from.
    """

    id: str
    status: str
    precedence: str
    precedence_why: str
    trust: str
    contested: bool
    registrant: str
    document: bytes
    document_sha256: str
    registration: Registration
    entries: Sequence[Entry]
    evidence: Evidence | None
    evidence_sha256: str | None
    rows_sha256: str | None
    recomputed: bool | None
    voids: Sequence[Reason]
    links: Sequence[Link]
    work: Work | None
