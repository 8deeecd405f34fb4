"""Families: how often a thing was tried, by anyone and under whatever name (docs/attempts.md)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, Text, func, values
from sqlalchemy import column as named
from sqlalchemy import select as rows
from sqlmodel import Session, col

from app.ledger.lineage import alike
from app.ledger.overdue import is_overdue
from app.ledger.tables import ClaimRow, HypothesisRow
from app.ledger.tried import Tried, inside, tried
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


def families(session: Session, claim: str, overdue_hours: int) -> Families | None:
    """The claim's families; None where there is no such claim."""
    own = next(iter(tried(session, [claim])), None)
    if own is None:
        return None
    names = own.among(alike(session, {own.weights}))
    found = _found(session, own, names, overdue_hours)
    by_metric = [MetricFamily(metric, primary, family(found[metric])) for metric, primary in own.metrics.items()]
    return Families(own.numbered, own.instrument, names, own.dataset, by_metric)


def numbers(session: Session, claims: Sequence[str]) -> Mapping[str, tuple[int, int]]:
    """Of each claim, which attempt of how many it is: by the primary metric that was tried most often.

    A reproduction has the number of what it reproduces.
    """
    all_tried = tried(session, claims)
    if not all_tried:
        return {}
    names = alike(session, {own.weights for own in all_tried})
    placed = _placed(session, all_tried, names)
    return {
        own.claim: max(
            (placed[own.numbered, metric] for metric, primary in own.metrics.items() if primary),
            key=lambda place: place[1],
        )
        for own in all_tried
    }


def _found(session: Session, own: Tried, names: Sequence[str], overdue_hours: int) -> Mapping[str, list[Attempts]]:
    """By metric, the attempts that came to the same, counted by the database."""
    one = _one_by_one(own, names, overdue_hours).subquery()
    alike_in = (one.c.metric, one.c.status, one.c.late, one.c.again, one.c.primaries, one.c.secondaries)
    before = func.count().filter(one.c.seq <= own.seq)
    found: defaultdict[str, list[Attempts]] = defaultdict(list)
    for metric, status, late, again, primaries, secondaries, is_primary, count, earlier in session.execute(
        rows(*alike_in, one.c.is_primary, func.count(), before).group_by(*alike_in, one.c.is_primary)
    ):
        outcome = came_to(status, primaries or (), secondaries or (), overdue=late)
        found[metric].append(Attempts(outcome, is_primary, again, count, earlier))
    return found


def _one_by_one(own: Tried, names: Sequence[str], overdue_hours: int) -> Select[Any]:
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
        .where(inside(own, names), col(HypothesisRow.metric).in_(own.metrics))
        .group_by(col(ClaimRow.id), col(HypothesisRow.metric))
    )
    return one


def _placed(
    session: Session, all_tried: Sequence[Tried], names: Mapping[str, str]
) -> Mapping[tuple[str, str], tuple[int, int]]:
    """By attempt and primary metric, its number in its family and how many that has: all families at once."""
    same = values(named("name", Text), named("word", Text), name="same").data(list(names.items()))
    metrics = sorted({metric for own in all_tried for metric, primary in own.metrics.items() if primary})
    metric = func.unnest(col(ClaimRow.metrics)).table_valued("metric", name="each").render_derived().lateral()
    of_claim = (col(ClaimRow.id), col(ClaimRow.seq), col(ClaimRow.instrument), col(ClaimRow.dataset))
    members = (
        rows(*of_claim, same.c.word, metric.c.metric)
        .join(same, same.c.name == col(ClaimRow.weights))
        .join(metric, metric.c.metric.in_(metrics))
        .where(
            col(ClaimRow.reproduces).is_(None),
            col(ClaimRow.dataset).in_({own.dataset for own in all_tried}),
            col(ClaimRow.instrument).in_({own.instrument for own in all_tried}),
        )
        .subquery()
    )
    together = (members.c.instrument, members.c.dataset, members.c.word, members.c.metric)
    number = func.row_number().over(partition_by=together, order_by=members.c.seq).label("number")
    ranked = rows(
        members.c.id, members.c.metric, number, func.count().over(partition_by=together).label("of")
    ).subquery()
    asked = rows(ranked).where(ranked.c.id.in_({own.numbered for own in all_tried}))
    return {(claim, metric): (number, of) for claim, metric, number, of in session.execute(asked)}
