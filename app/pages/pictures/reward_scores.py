"""The pictures of `reward_scores`: each dimension's mean margin, accuracy and AUROC, from the evidence alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.pages import words
from app.pages.charts.intervals import Measured, Scale, intervals
from app.pages.pictures.estimates import both_cells, known, level_said, measured, members
from app.pages.pictures.pictured import Pictured
from claims.evidence import Evidence
from claims.instruments.manifest import Row
from claims.registration.model import Registration

CHANCE = 0.5
ALL = "all pairs"
COLUMNS = ("Dimension", "Pairs below 0", "Mean margin", "Interval", "Accuracy", "Interval", "AUROC", "Interval")
FAMILIES = ("mean_margin", "accuracy", "auroc")


def draw(rows: Iterable[Row], registration: Registration, evidence: Evidence) -> Sequence[Pictured]:
    """No row is read: the evidence has an estimate for all that is drawn."""
    del rows, registration
    dimensions = members(evidence, *FAMILIES)
    margins = known(evidence, _named("mean_margin", dimensions))
    right = _against_chance(evidence, [*_named("accuracy", dimensions), ("mean of dimensions", "macro_accuracy")])
    apart = _against_chance(evidence, _named("auroc", dimensions))
    table = [[name, _below(evidence, member), *_cells(evidence, member)] for name, member in _members(dimensions)]
    return [
        *([_margins(margins, evidence, table)] if margins else []),
        *([_accuracy(right, evidence, table)] if right else []),
        *([_auroc(apart, evidence, table)] if apart else []),
    ]


def _against_chance(evidence: Evidence, named: Sequence[tuple[str, str]]) -> list[Measured]:
    return [
        measured(name, one, second=one.value < CHANCE)
        for name, metric in named
        if (one := evidence.estimates.get(metric))
    ]


def _margins(found: Sequence[Measured], evidence: Evidence, table: Sequence[Sequence[str]]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    return Pictured(
        title="Margin by dimension",
        says="Right of zero the model scores chosen above rejected; an interval that reaches zero leaves it open.",
        drawn=intervals(found, Scale("mean margin, in reward"), f"Mean margin with its interval. {said}."),
        caption=(
            f"Mark: mean of the reward of chosen less that of rejected. Bar: interval, {level_said(evidence)}."
            f"{_missing(found, table)}"
        ),
        columns=COLUMNS,
        rows=table,
    )


def _accuracy(found: Sequence[Measured], evidence: Evidence, table: Sequence[Sequence[str]]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    return Pictured(
        title="Accuracy by dimension",
        says="The share of pairs in which chosen scores above rejected; one half is what a coin gets.",
        drawn=intervals(found, Scale("accuracy", beside=CHANCE, low=0, high=1), f"Accuracy with its interval. {said}."),
        caption=(
            f"Mark: accuracy, a tie counting one half. Bar: interval, {level_said(evidence)}. Line: one half."
            f"{_missing(found, table)}"
        ),
        columns=COLUMNS,
        rows=table,
    )


def _auroc(found: Sequence[Measured], evidence: Evidence, table: Sequence[Sequence[str]]) -> Pictured:
    said = ", ".join(one.hint for one in found)
    return Pictured(
        title="Chosen texts told from rejected ones",
        says="The chance that a chosen text scores above a rejected one of any pair; one half is what a coin gets.",
        drawn=intervals(found, Scale("AUROC", beside=CHANCE, low=0, high=1), f"AUROC with its interval. {said}."),
        caption=(
            f"Mark: AUROC, a tie counting one half. Bar: interval, {level_said(evidence)}. Line: one half."
            f"{_missing(found, table)}"
        ),
        columns=COLUMNS,
        rows=table,
    )


def _missing(found: Sequence[Measured], table: Sequence[Sequence[str]]) -> str:
    """Which rows of the table have no mark: of too few clusters, or where every pair says the same."""
    missing = [row[0] for row in table if row[0] not in {one.name for one in found}]
    return f" Not estimated, for the reason under what was not measured: {', '.join(missing)}." if missing else ""


def _members(dimensions: Sequence[str]) -> list[tuple[str, str]]:
    return [*((name, f".{name}") for name in dimensions), (ALL, "")]


def _named(family: str, dimensions: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, f"{family}{member}") for name, member in _members(dimensions)]


def _cells(evidence: Evidence, member: str) -> list[str]:
    return [cell for family in FAMILIES for cell in both_cells(evidence, f"{family}{member}")]


def _below(evidence: Evidence, member: str) -> str:
    below = evidence.counts.get(f"negative_margins{member}")
    return words.NOTHING if below is None else words.count(below)
