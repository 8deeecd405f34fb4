"""Attempts: every claim by anyone on the same weights, dataset lineage, instrument and metric (docs/attempts.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, func, values
from sqlalchemy import column as named
from sqlalchemy import select as rows
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Session, col, select

from app.ledger import cursors
from app.ledger.cursors import Page
from app.ledger.lineage import alike, dataset, on_any_of, weights
from app.ledger.overdue import is_overdue
from app.ledger.tables import ClaimRow, HypothesisRow
from claims.attempts import Attempts, Family, came_to, family


@dataclass(frozen=True)
class MetricFamily:
    """The family that a claim belongs to by one of its metrics; `primary` says by a primary hypothesis of its own."""

    metric: str
    primary: bool
    family: Family


@dataclass(frozen=True)
class Families:
    """What a claim is about, and how often it was tried, by metric: primaries first, in the document's order.

    `claim` is the attempt that is numbered: of a reproduction, the one whose document it measures once more.
    """

    claim: str
    instrument: str
    weights: Sequence[str]
    dataset: str
    by_metric: Sequence[MetricFamily]


@dataclass(frozen=True)
class Attempt:
    """One claim of a family; `outcomes` by each metric that it shares. `reproduces` one that is counted, or None."""

    id: str
    seq: int
    title: str
    status: str
    registrant: str
    filed: datetime
    reproduces: str | None
    superseded: bool
    outcomes: Mapping[str, str]


@dataclass(frozen=True)
class _About:
    """What one claim is about. `seq` and `numbered` are those of the attempt that counts."""

    claim: str
    numbered: str
    seq: int
    instrument: str
    weights: str
    dataset: str
    metrics: Mapping[str, bool]

    def among(self, names: Mapping[str, str]) -> list[str]:
        """All the names of its weights."""
        return sorted(name for name, word in names.items() if word == names[self.weights])


def families(session: Session, claim: str, overdue_hours: int) -> Families | None:
    """The claim's families; None where there is no such claim."""
    about = next(iter(_about(session, [claim])), None)
    if about is None:
        return None
    names = about.among(alike(session, {about.weights}))
    found = _found(session, about, names, overdue_hours)
    by_metric = [MetricFamily(metric, primary, family(found[metric])) for metric, primary in about.metrics.items()]
    return Families(about.numbered, about.instrument, names, about.dataset, by_metric)


def attempts(
    session: Session, claim: str, overdue_hours: int, *, cursor: str | None = None, limit: int = 50
) -> Page[Attempt]:
    """Every claim of any of the claim's families, reproductions too, in the order in which they were filed.

    Raises `RefusedInputError` for a cursor that is none; nothing for a claim that is none.
    """
    about = next(iter(_about(session, [claim])), None)
    if about is None:
        return Page([], None)
    inside = _inside(about, about.among(alike(session, {about.weights})))
    query = rows(ClaimRow, is_overdue(overdue_hours)).where(inside).order_by(col(ClaimRow.seq)).limit(limit + 1)
    if cursor is not None:
        query = query.where(col(ClaimRow.seq) > cursors.decode(cursor))
    found = session.execute(query.execution_options(populate_existing=True)).all()
    more = cursors.encode(found[limit - 1][0].seq) if len(found) > limit else None
    judged = _judged(session, [row.id for row, _ in found[:limit]], list(about.metrics))
    return Page([_attempt(row, judged[row.id], overdue=late) for row, late in found[:limit]], more)


def numbers(session: Session, claims: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Of each claim, which attempt of how many it is: by the primary metric that was tried most often.

    A reproduction has the number of what it reproduces.
    """
    abouts = _about(session, claims)
    if not abouts:
        return {}
    names = alike(session, {about.weights for about in abouts})
    placed = _placed(session, abouts, names)
    return {
        about.claim: max(
            (placed[about.numbered, metric] for metric, primary in about.metrics.items() if primary),
            key=lambda place: place[1],
        )
        for about in abouts
    }


def _about(session: Session, claims: Sequence[str]) -> list[_About]:
    counted = func.coalesce(ClaimRow.reproduces, ClaimRow.id)
    original = select(ClaimRow.id, ClaimRow.seq).subquery()
    query = (
        rows(
            col(ClaimRow.id).label("claim"),
            original.c.id.label("numbered"),
            original.c.seq,
            col(ClaimRow.instrument),
            weights().label("weights"),
            dataset().label("dataset"),
        )
        .join(original, original.c.id == counted)
        .where(col(ClaimRow.id).in_(claims))
    )
    metrics = _metrics(session, claims)
    return [_About(**row, metrics=metrics[row["claim"]]) for row in session.execute(query).mappings()]


def _metrics(session: Session, claims: Sequence[str]) -> Mapping[str, Mapping[str, bool]]:
    """By claim, its metrics: those of a primary hypothesis first, each in the document's order."""
    query = select(HypothesisRow.claim, HypothesisRow.metric, HypothesisRow.primary)
    query = query.where(col(HypothesisRow.claim).in_(claims))
    found: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    ordered = query.order_by(col(HypothesisRow.primary).desc(), col(HypothesisRow.position))
    for claim, metric, primary in session.exec(ordered):
        found[claim].setdefault(metric, primary)
    return found


def _inside(about: _About, names: Sequence[str]) -> ColumnElement[bool]:
    return (
        (col(ClaimRow.instrument) == about.instrument)
        & col(ClaimRow.metrics).op("&&")(cast(list(about.metrics), ARRAY(Text)))
        & on_any_of(names)
        & (dataset() == about.dataset)
    )


def _found(session: Session, about: _About, names: Sequence[str], overdue_hours: int) -> Mapping[str, list[Attempts]]:
    """By metric, the attempts that came to the same, counted by the database."""
    one = _one_by_one(about, names, overdue_hours).subquery()
    alike_in = (one.c.metric, one.c.status, one.c.late, one.c.again, one.c.primaries, one.c.secondaries)
    before = func.count().filter(one.c.seq <= about.seq)
    found: defaultdict[str, list[Attempts]] = defaultdict(list)
    for metric, status, late, again, primaries, secondaries, is_primary, count, earlier in session.execute(
        rows(*alike_in, one.c.is_primary, func.count(), before).group_by(*alike_in, one.c.is_primary)
    ):
        outcome = came_to(status, primaries or (), secondaries or (), overdue=late)
        found[metric].append(Attempts(outcome, is_primary, again, count, earlier))
    return found


def _one_by_one(about: _About, names: Sequence[str], overdue_hours: int) -> Select[Any]:
    """One row for each claim of the families and each metric that it shares."""
    outcomes, primary = func.array_agg(col(HypothesisRow.outcome).distinct()), col(HypothesisRow.primary)
    known = col(HypothesisRow.outcome).is_not(None)
    one: Select[Any] = (
        rows(
            col(HypothesisRow.metric),
            col(ClaimRow.seq),
            col(ClaimRow.status),
            is_overdue(overdue_hours).label("late"),
            col(ClaimRow.reproduces).is_not(None).label("again"),
            outcomes.filter(primary & known).label("primaries"),
            outcomes.filter(~primary & known).label("secondaries"),
            func.bool_or(primary).label("is_primary"),
        )
        .join(ClaimRow, col(ClaimRow.id) == col(HypothesisRow.claim))
        .where(_inside(about, names), col(HypothesisRow.metric).in_(about.metrics))
        .group_by(col(ClaimRow.id), col(HypothesisRow.metric))
    )
    return one


def _placed(
    session: Session, abouts: Sequence[_About], names: Mapping[str, str]
) -> Mapping[tuple[str, str], tuple[int, int]]:
    """By attempt and metric, its number in its family and how many that has: all families at once."""
    same = values(named("name", Text), named("word", Text), name="same").data(list(names.items()))
    metrics = sorted({metric for about in abouts for metric in about.metrics})
    members = (
        rows(
            col(ClaimRow.id),
            col(ClaimRow.seq),
            col(ClaimRow.instrument),
            dataset().label("dataset"),
            same.c.word,
            func.unnest(ClaimRow.metrics).label("metric"),
        )
        .join(same, same.c.name == weights())
        .where(
            col(ClaimRow.reproduces).is_(None),
            on_any_of(names),
            col(ClaimRow.instrument).in_({about.instrument for about in abouts}),
            col(ClaimRow.metrics).op("&&")(cast(metrics, ARRAY(Text))),
            dataset().in_({about.dataset for about in abouts}),
        )
        .subquery()
    )
    together = (members.c.instrument, members.c.dataset, members.c.word, members.c.metric)
    number = func.row_number().over(partition_by=together, order_by=members.c.seq).label("number")
    ranked = rows(
        members.c.id, members.c.metric, number, func.count().over(partition_by=together).label("of")
    ).subquery()
    asked = rows(ranked).where(ranked.c.id.in_({about.numbered for about in abouts}))
    return {(claim, metric): (number, of) for claim, metric, number, of in session.execute(asked)}


def _judged(session: Session, claims: Sequence[str], metrics: Sequence[str]) -> Mapping[str, Sequence[HypothesisRow]]:
    query = select(HypothesisRow).where(col(HypothesisRow.claim).in_(claims), col(HypothesisRow.metric).in_(metrics))
    found: defaultdict[str, list[HypothesisRow]] = defaultdict(list)
    for hypothesis in session.exec(query.execution_options(populate_existing=True)):
        found[hypothesis.claim].append(hypothesis)
    return found


def _attempt(row: ClaimRow, hypotheses: Sequence[HypothesisRow], *, overdue: bool) -> Attempt:
    def outcome(metric: str) -> str:
        known = [one for one in hypotheses if one.metric == metric and one.outcome is not None]
        primaries, secondaries = (
            [str(one.outcome) for one in known if one.primary == primary] for primary in (True, False)
        )
        return came_to(row.status, primaries, secondaries, overdue=overdue)

    return Attempt(
        id=row.id,
        seq=row.seq,
        title=row.title,
        status=row.status,
        registrant=row.registrant,
        filed=row.filed,
        reproduces=row.reproduces,
        superseded=row.superseded_by is not None,
        outcomes={metric: outcome(metric) for metric in sorted({one.metric for one in hypotheses})},
    )
