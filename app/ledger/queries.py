"""Reading claims: lists, one claim whole, and how many there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import RowMapping, Select, func
from sqlalchemy.exc import InternalError
from sqlmodel import Session, col, select

from app.ledger import cursors
from app.ledger.cursors import Page
from app.ledger.filters import ClaimFilter
from app.ledger.tables import ClaimRow, EntryRow, EvidenceRow, HypothesisRow, Receipt
from claims.flaws import Flaw, RefusedInputError
from claims.lifecycle import CLAIM_STATUSES
from claims.registration.model import Registration

MOST_IN_A_LIST = 200
UNREADABLE_SEARCH = Flaw("/q", "invalid_parameter", "the search holds too many operators in a row", "Leave some out.")


@dataclass(frozen=True)
class ClaimSummary:
    """A claim as a list shows it. `commit` and `dirty` are those of the deciding run's evidence, None without any."""

    id: str
    seq: int
    document_sha256: str
    registrant: str
    title: str
    statement: str
    instrument: str
    model: str
    metrics: Sequence[str]
    reproduces: str | None
    precedence: str
    trust: str
    status: str
    run: str | None
    superseded_by: str | None
    contested: bool
    reproduced: bool
    corrected: bool
    filed: datetime
    opened: datetime | None
    judged: datetime | None
    withdrawn: datetime | None
    commit: str | None
    dirty: str | None
    hypotheses: Sequence[HypothesisRow]

    @property
    def superseded(self) -> bool:
        return self.superseded_by is not None


COLUMNS = tuple(field.name for field in fields(ClaimSummary) if field.name not in {"commit", "dirty", "hypotheses"})


def list_claims(
    session: Session, chosen: ClaimFilter | None = None, *, cursor: str | None = None, limit: int = 50
) -> Page[ClaimSummary]:
    """The newest claims first.

    Raises `RefusedInputError` for a cursor that is none or a search that cannot be read, ValueError for a bad limit.
    """
    if not 1 <= limit <= MOST_IN_A_LIST:
        raise ValueError(f"a list has 1 to {MOST_IN_A_LIST} items, not {limit}")
    query = _summaries().where(*(chosen or ClaimFilter()).conditions()).order_by(col(ClaimRow.seq).desc())
    if cursor is not None:
        query = query.where(col(ClaimRow.seq) < cursors.decode(cursor))
    try:
        rows = session.execute(query.limit(limit + 1)).mappings().all()
    except InternalError as error:  # how Postgres says that operators are nested deeper than its stack
        raise RefusedInputError(UNREADABLE_SEARCH) from error
    shown = rows[:limit]
    more = cursors.encode(shown[-1]["seq"]) if len(rows) > limit else None
    return Page(_with_hypotheses(session, shown), more)


def get_claim(session: Session, claim: str) -> ClaimSummary | None:
    row = session.execute(_summaries().where(col(ClaimRow.id) == claim)).mappings().one_or_none()
    return None if row is None else _with_hypotheses(session, [row])[0]


def titles(session: Session, claims: Sequence[str]) -> Mapping[str, tuple[str, str]]:
    """Title and status of each of these claims that there is."""
    found = session.exec(select(ClaimRow.id, ClaimRow.title, ClaimRow.status).where(col(ClaimRow.id).in_(claims)))
    return {claim: (title, status) for claim, title, status in found}


def registrations(session: Session, claims: Sequence[str]) -> Mapping[str, Registration]:
    """What was frozen, of each of these claims."""
    query = select(ClaimRow.id, ClaimRow.registration).where(col(ClaimRow.id).in_(claims))
    return {claim: Registration.model_validate(frozen) for claim, frozen in session.exec(query)}


def document(session: Session, claim: str) -> bytes | None:
    """The canonical bytes of the frozen document, over which its SHA-256 is taken."""
    return session.exec(select(ClaimRow.document).where(ClaimRow.id == claim)).one_or_none()


def receipt(session: Session, claim: str) -> Mapping[str, Any] | None:
    """The receipt as it was first handed out."""
    return session.exec(select(Receipt.body).where(Receipt.claim == claim)).one_or_none()


@dataclass(frozen=True)
class Counts:
    """The ledger in numbers; `by_status` names every status, also those without a claim."""

    by_status: Mapping[str, int]
    superseded: int
    contested: int
    evidence: int
    entries: int

    @property
    def claims(self) -> int:
        return sum(self.by_status.values())


def counts(session: Session) -> Counts:
    found = dict(session.execute(select(ClaimRow.status, func.count()).group_by(ClaimRow.status)).all())
    superseded, contested = session.exec(
        select(
            func.count().filter(col(ClaimRow.superseded_by).is_not(None)), func.count().filter(col(ClaimRow.contested))
        )
    ).one()
    return Counts(
        by_status={status: found.get(status, 0) for status in CLAIM_STATUSES},
        superseded=superseded,
        contested=contested,
        evidence=session.exec(select(func.count()).select_from(EvidenceRow)).one(),
        entries=session.exec(select(func.coalesce(func.max(EntryRow.seq) + 1, 0))).one(),
    )


def _summaries() -> Select[Any]:
    columns = [getattr(ClaimRow, name) for name in COLUMNS]
    deciding = col(EvidenceRow.run) == col(ClaimRow.run)
    columns += [col(EvidenceRow.commit), col(EvidenceRow.dirty)]
    summaries: Select[Any] = sqlalchemy.select(*columns).outerjoin(EvidenceRow, deciding)
    return summaries


def _with_hypotheses(session: Session, rows: Sequence[RowMapping]) -> list[ClaimSummary]:
    found: dict[str, list[HypothesisRow]] = {row["id"]: [] for row in rows}
    query = select(HypothesisRow).where(col(HypothesisRow.claim).in_(found)).order_by(col(HypothesisRow.position))
    for hypothesis in session.exec(query.execution_options(populate_existing=True)):
        found[hypothesis.claim].append(hypothesis)
    return [ClaimSummary(**row, hypotheses=tuple(found[row["id"]])) for row in rows]
