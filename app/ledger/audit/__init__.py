"""The whole ledger held against its log, and the log against every head of it that was ever signed or kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session

from app.ledger.audit.findings import Finding, Findings, Progress
from app.ledger.audit.heads import Leaves, check_checkpoints, check_nodes, check_notes, check_remembered
from app.ledger.audit.kept_apart import check_blobs, check_media_types, check_nonces, check_receipts
from app.ledger.audit.memory import MemoryStore
from app.ledger.audit.tables import check_tables
from app.ledger.audit.walk import Walk
from app.ledger.checkpoints import Issued


@dataclass(frozen=True)
class Audited:
    """What was found: nothing, in a ledger that is what its log says. `count` counts findings beyond those listed."""

    size: int
    root: bytes
    findings: tuple[Finding, ...]
    count: int


def audit(
    session: Session,
    vkey: str,
    remembered: Iterable[Issued] = (),
    progress: Progress | None = None,
    notes: Iterable[str] = (),
) -> Audited:
    """Read everything in this transaction, which sees one moment of the ledger, and compare it.

    `vkey` is the log's key as the caller knows it, `remembered` the checkpoints that were kept outside the database,
    `notes` those that somebody else kept, as they were served.
    """
    tell: Progress = progress or (lambda *_: None)
    findings, store = Findings(), MemoryStore(session)
    walk = Walk(session, findings, store)
    walk.run(tell)
    leaves = Leaves(walk.leaves)
    check_nodes(session, leaves, findings)
    stored = check_checkpoints(session, leaves, vkey, findings)
    check_remembered(remembered, stored, leaves, vkey, findings)
    check_notes(notes, leaves, vkey, findings)
    check_tables(session, store, findings, tell)
    check_blobs(session, walk.named, findings)
    check_media_types(session, findings)
    check_nonces(session, store, findings)
    check_receipts(session, store, vkey, findings)
    return Audited(leaves.size, leaves.root(leaves.size), tuple(findings.found), findings.count)


__all__ = ["Audited", "Finding", "audit"]
