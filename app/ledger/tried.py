"""What claims try: the weights, the data, the instrument and the metrics by which they are attempts at one thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Text, cast, func
from sqlalchemy import select as rows
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Session, col, select

from app.ledger.tables import ClaimRow, HypothesisRow
from claims.flaws import Flaw, RefusedInputError


@dataclass(frozen=True)
class Tried:
    """What one claim is own. `seq` and `numbered` are those of the attempt that counts."""

    claim: str
    numbered: str
    seq: int
    instrument: str
    weights: str
    dataset: str
    metrics: Mapping[str, bool]

    def by(self, metric: str) -> Tried:
        """The same by this metric alone; raises `RefusedInputError` for one that it does not have."""
        if metric not in self.metrics:
            known = f"It has {', '.join(self.metrics)}."
            raise RefusedInputError(Flaw("/metric", "invalid_parameter", "the claim has no such metric", known))
        return replace(self, metrics={metric: self.metrics[metric]})

    def among(self, names: Mapping[str, str]) -> list[str]:
        """All the names of its weights."""
        return sorted(name for name, word in names.items() if word == names[self.weights])


def tried(session: Session, claims: Sequence[str]) -> list[Tried]:
    counted = func.coalesce(ClaimRow.reproduces, ClaimRow.id)
    original = select(ClaimRow.id, ClaimRow.seq).subquery()
    query = (
        rows(
            col(ClaimRow.id).label("claim"),
            original.c.id.label("numbered"),
            original.c.seq,
            col(ClaimRow.instrument),
            col(ClaimRow.weights),
            col(ClaimRow.dataset),
        )
        .join(original, original.c.id == counted)
        .where(col(ClaimRow.id).in_(claims))
    )
    metrics = _metrics(session, claims)
    return [Tried(**row, metrics=metrics[row["claim"]]) for row in session.execute(query).mappings()]


def _metrics(session: Session, claims: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
    """By claim, its metrics: those of a primary hypothesis first, each in the document's order."""
    query = select(HypothesisRow.claim, HypothesisRow.metric, HypothesisRow.primary)
    query = query.where(col(HypothesisRow.claim).in_(claims))
    found: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    ordered = query.order_by(col(HypothesisRow.primary).desc(), col(HypothesisRow.position))
    for claim, metric, primary in session.exec(ordered):
        found[claim].setdefault(metric, primary)
    return found


def inside(own: Tried, names: Sequence[str]) -> ColumnElement[bool]:
    return (
        (col(ClaimRow.instrument) == own.instrument)
        & col(ClaimRow.metrics).op("&&")(cast(list(own.metrics), ARRAY(Text)))
        & col(ClaimRow.weights).in_(names)
        & (col(ClaimRow.dataset) == own.dataset)
    )
