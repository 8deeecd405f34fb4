"""Which claims stand on ground that gave way: refuted, superseded, or corrected away from confirmed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlmodel import Session, col, select

from app.ledger.tables import ClaimRow
from claims.entries import Entry

# UNION, not UNION ALL: a cycle, which frozen documents cannot make, would still end.
ANCESTORS = """
WITH RECURSIVE ancestors(id) AS (
    SELECT target FROM links WHERE type = 'builds_on' AND source = :claim
    UNION SELECT target FROM links JOIN ancestors ON source = ancestors.id WHERE type = 'builds_on')
SELECT claims.id FROM claims JOIN ancestors USING (id) WHERE undermines ORDER BY seq LIMIT 1
"""
DESCENDANTS = """
WITH RECURSIVE descendants(id) AS (
    SELECT source FROM links WHERE type = 'builds_on' AND target = :claim
    UNION SELECT source FROM links JOIN descendants ON target = descendants.id WHERE type = 'builds_on')
SELECT claims.id FROM claims JOIN descendants USING (id) WHERE NOT contested ORDER BY seq
"""


def newly_contested(session: Session, entry: Entry) -> list[tuple[str, dict[str, Any]]]:
    """The claims that `entry`, already applied, makes contested, each with the payload of its `contested` entry.

    A mark stays: it is cleared only by amending `builds_on`, which is a new claim.
    """
    if entry.type == "registered":
        ancestor = session.execute(text(ANCESTORS), {"claim": entry.claim}).scalar_one_or_none()
        return [] if ancestor is None else [(str(entry.claim), {"ancestor": ancestor, "entry": entry.seq})]
    if entry.type not in {"adjudicated", "superseded"} or not _undermines(session, str(entry.claim)):
        return []
    marked = session.execute(text(DESCENDANTS), {"claim": entry.claim}).scalars()
    return [(claim, {"ancestor": entry.claim, "entry": entry.seq}) for claim in marked]


def _undermines(session: Session, claim: str) -> bool:
    return session.exec(select(col(ClaimRow.undermines)).where(ClaimRow.id == claim)).one()
