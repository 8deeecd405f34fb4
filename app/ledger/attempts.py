"""Attempts: every claim by anyone on the same weights, dataset lineage, instrument and metric (docs/attempts.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Subquery, case, func
from sqlalchemy import select as rows
from sqlmodel import Session, col, select

from app.ledger import cursors
from app.ledger.cursors import Page
from app.ledger.lineage import alike
from app.ledger.overdue import is_overdue
from app.ledger.tables import ClaimRow, HypothesisRow
from app.ledger.tried import Tried, inside, tried
from claims.attempts import came_to


@dataclass(frozen=True)
class Attempt:
    """One claim of a family; `outcomes` by each metric that it shares. `reproduces` one that is counted, or None.

    `number` is its place in the family, None for a reproduction, and where families of several metrics are listed.
    """

    id: str
    number: int | None
    seq: int
    title: str
    status: str
    registrant: str
    filed: datetime
    reproduces: str | None
    superseded: bool
    outcomes: Mapping[str, str]


def attempts(
    session: Session,
    claim: str,
    overdue_hours: int,
    *,
    metric: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Attempt]:
    """Every claim of any of the claim's families, or of that of `metric`, in the order in which they were filed.

    Reproductions are among them. Raises `RefusedInputError` for a cursor that is none or a metric that the claim does
    not have; the list of a claim that is none is empty.
    """
    own = next(iter(tried(session, [claim])), None)
    if own is None:
        return Page([], None)
    own = own if metric is None else own.by(metric)
    numbered = _numbered(own, own.among(alike(session, {own.weights})))
    query = rows(ClaimRow, is_overdue(overdue_hours), numbered.c.number).join(numbered, numbered.c.id == ClaimRow.id)
    if cursor is not None:
        query = query.where(col(ClaimRow.seq) > cursors.decode(cursor))
    query = query.order_by(col(ClaimRow.seq)).limit(limit + 1).execution_options(populate_existing=True)
    found = session.execute(query).all()
    more = cursors.encode(found[limit - 1][0].seq) if len(found) > limit else None
    judged = _judged(session, [row.id for row, *_ in found[:limit]], list(own.metrics))
    told = len(own.metrics) == 1
    return Page(
        [_attempt(row, judged[row.id], number if told else None, overdue=late) for row, late, number in found[:limit]],
        more,
    )


def _numbered(own: Tried, names: Sequence[str]) -> Subquery:
    """The claims of the families with their numbers; a reproduction has none."""
    counted = col(ClaimRow.reproduces).is_(None)
    so_far = func.count().filter(counted).over(order_by=col(ClaimRow.seq))
    number = case((counted, so_far), else_=None).label("number")
    return rows(col(ClaimRow.id), number).where(inside(own, names)).subquery()


def _judged(session: Session, claims: Sequence[str], metrics: Sequence[str]) -> Mapping[str, Sequence[HypothesisRow]]:
    query = select(HypothesisRow).where(col(HypothesisRow.claim).in_(claims), col(HypothesisRow.metric).in_(metrics))
    found: defaultdict[str, list[HypothesisRow]] = defaultdict(list)
    for hypothesis in session.exec(query.execution_options(populate_existing=True)):
        found[hypothesis.claim].append(hypothesis)
    return found


def _attempt(row: ClaimRow, hypotheses: Sequence[HypothesisRow], number: int | None, *, overdue: bool) -> Attempt:
    def outcome(metric: str) -> str:
        known = [one for one in hypotheses if one.metric == metric and one.outcome is not None]
        primaries, secondaries = (
            [str(one.outcome) for one in known if one.primary == primary] for primary in (True, False)
        )
        return came_to(row.status, primaries, secondaries, overdue=overdue)

    return Attempt(
        id=row.id,
        number=number,
        seq=row.seq,
        title=row.title,
        status=row.status,
        registrant=row.registrant,
        filed=row.filed,
        reproduces=row.reproduces,
        superseded=row.superseded_by is not None,
        outcomes={metric: outcome(metric) for metric in sorted({one.metric for one in hypotheses})},
    )
