"""How often what a claim predicts was tried, in words: on its own page, and on that of the family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from app.ledger.attempts import Attempt
from app.ledger.families import Families, MetricFamily
from app.pages import words
from claims.attempts import Family

NAMED = 4  # metrics of one row that are written out


@dataclass(frozen=True)
class FamilyRow:
    """Metrics that were tried by the same claims with the same outcomes; `url` lists those of the first."""

    metrics: str
    place: str
    came_to: str
    beside: str
    url: str


@dataclass(frozen=True)
class Tried:
    """`says` what the most often tried primary metric came to; `rows` hold every metric, where they differ."""

    says: str
    url: str
    rows: Sequence[FamilyRow]


@dataclass(frozen=True)
class AttemptRow:
    number: int | None
    id: str
    title: str
    registrant: str
    filed: datetime
    outcome: str
    superseded: bool


@dataclass(frozen=True)
class AttemptsPage:
    """The family of one metric of a claim. `others` are the claim's other metrics, by their addresses."""

    claim: str
    metric: str
    says: str
    instrument: str
    weights: Sequence[str]
    dataset: str
    rows: Sequence[AttemptRow]
    others: Mapping[str, str]
    next: str | None


def tried(claim: str, found: Families) -> Tried:
    """What the claim's page says of it."""
    most = most_tried(found)
    together: dict[tuple[str, str, str], list[str]] = {}
    for one in found.by_metric:
        together.setdefault((_place(one.family), came_to(one.family), beside(one)), []).append(one.metric)
    rows = [FamilyRow(_named(metrics), *said, address(claim, metrics[0])) for said, metrics in together.items()]
    return Tried(sentence(claim, found, most), address(claim, most.metric), rows if len(rows) > 1 else [])


def most_tried(found: Families) -> MetricFamily:
    """The primary metric with the most attempts, the first of several."""
    return max((one for one in found.by_metric if one.primary), key=lambda one: one.family.of)


def sentence(claim: str, found: Families, one: MetricFamily) -> str:
    """Which attempt it is, and what all of them came to."""
    family, upon = one.family, "on these weights, dataset, instrument and metric"
    if claim != found.claim:
        begin = f"No attempt of its own: it measures attempt {_place(family)} {upon} once more"
    elif family.of == 1:
        begin = f"The only attempt {upon}"
    else:
        begin = f"Attempt {_place(family)} {upon}"
    more = beside(one)
    return f"{begin}: {came_to(family)}{f'; {more}' if more else ''}."


def came_to(family: Family) -> str:
    """Every outcome with its count: `2 refuted, 1 confirmed`, the decided ones first."""
    return ", ".join(f"{words.count(count)} {word}" for word, count in family.outcomes.items() if count)


def beside(one: MetricFamily) -> str:
    """What is counted apart, and what is to be known of those counted."""
    family = one.family
    said = []
    if family.secondary:
        said.append(f"{words.count(family.secondary)} of them by a secondary hypothesis alone")
    if family.reproductions:
        kind = "reproduction or rerun" if family.reproductions == 1 else "reproductions and reruns"
        said.append(f"and {words.count(family.reproductions)} {kind}")
    return ", ".join(said)


def address(claim: str, metric: str, cursor: str | None = None) -> str:
    """The page of the family."""
    query = {"metric": metric, **({} if cursor is None else {"cursor": cursor})}
    return f"/claims/{claim}/attempts?{urlencode(query)}"


def attempts_page(
    claim: str, found: Families, one: MetricFamily, attempts: Sequence[Attempt], following: str | None
) -> AttemptsPage:
    """`attempts` of the family of `one`, and the cursor of those that follow."""
    return AttemptsPage(
        claim=claim,
        metric=one.metric,
        says=sentence(claim, found, one),
        instrument=found.instrument,
        weights=found.weights,
        dataset=found.dataset,
        rows=[_row(attempt, one.metric) for attempt in attempts],
        others={other.metric: address(claim, other.metric) for other in found.by_metric if other is not one},
        next=None if following is None else address(claim, one.metric, following),
    )


def _row(attempt: Attempt, metric: str) -> AttemptRow:
    return AttemptRow(
        number=attempt.number,
        id=attempt.id,
        title=attempt.title,
        registrant=attempt.registrant,
        filed=attempt.filed,
        outcome=attempt.outcomes[metric],
        superseded=attempt.superseded,
    )


def _place(family: Family) -> str:
    return f"{words.count(family.number)} of {words.count(family.of)}"


def _named(metrics: Sequence[str]) -> str:
    """The first of many, and how many more."""
    more = len(metrics) - NAMED
    return ", ".join(metrics) if more < 2 else f"{', '.join(metrics[:NAMED])} and {more} more"  # noqa: PLR2004 - one more is no longer
