"""What the ledger holds of one claim, as its page needs it: read in one transaction, then free of the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.ledger.families import Families
from app.ledger.judgements import Reproduction
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
class Named:
    """Another claim, as it is named beside this one."""

    claim: str
    title: str
    status: str


@dataclass(frozen=True)
class Comparison:
    """An original beside `again`, a reproduction or rerun of it, with the machines that measured the two."""

    found: Reproduction
    again: Named
    original_machines: Sequence[str]
    machines: Sequence[str]


@dataclass(frozen=True)
class Original:
    """What the claim reproduces; `compared` is None until both are judged."""

    named: Named
    compared: Comparison | None


@dataclass(frozen=True)
class Ground:
    """What gave way under the claim: `how`, when the claim was marked, and whether it names that claim itself."""

    named: Named
    how: str
    time: datetime
    direct: bool


@dataclass(frozen=True)
class Covered:
    """The signed head over `size` entries, which holds how the claim came out, signed at `time`.

    Both are None where a verdict was corrected and no head holds the last one yet. `before` is the size of the head
    that holds an earlier one, where that is another.
    """

    size: int | None
    time: datetime | None
    vouching: Sequence[str]
    before: int | None


@dataclass(frozen=True)
class ClaimRecord:
    """`document` is the frozen one's canonical bytes; `entries` are the claim's own, in order of the log; `evidence`
    is what the deciding run found. `recomputed` says whether the logged verdict follows from it when computed again,
    None where there is nothing to compute it from. `tried` is how often its metrics were tried; None for a record that
    is of no ledger.
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
    comparisons: Sequence[Comparison]
    original: Original | None
    ground: Ground | None
    covered: Covered | None
    work: Work | None
    tried: Families | None = None
    overdue: bool = False
