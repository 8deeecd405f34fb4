"""Estimates of evidence as rows of a chart and cells of a table. What has none is drawn from nothing."""

from __future__ import annotations

from collections.abc import Iterable

from app.pages import words
from app.pages.charts.intervals import Measured
from app.pages.claim.sureness import METHODS
from claims.evidence import Estimate, Evidence


def members(evidence: Evidence, *families: str) -> list[str]:
    """The dimensions of which `<family>.<dimension>` was estimated, or named as not measured, by name."""
    names = (*evidence.estimates, *evidence.not_measured)
    return sorted(
        {member for family, _, member in (name.partition(".") for name in names) if family in families} - {""}
    )


def measured(name: str, one: Estimate, *, second: bool = False) -> Measured:
    hint = f"{name}: {words.number(one.value)} {words.interval(one.lo, one.hi)}"
    return Measured(name, one.value, one.lo, one.hi, hint, second)


def known(evidence: Evidence, named: Iterable[tuple[str, str]]) -> list[Measured]:
    """Of pairs of a name to show and a metric, those that were estimated; below 0 in the second colour."""
    found = ((name, evidence.estimates.get(metric)) for name, metric in named)
    return [measured(name, one, second=one.value < 0) for name, one in found if one]


def value_cell(evidence: Evidence, metric: str) -> str:
    one = evidence.estimates.get(metric)
    return words.number(one.value) if one else words.NOTHING


def interval_cell(evidence: Evidence, metric: str) -> str:
    one = evidence.estimates.get(metric)
    return words.interval(one.lo, one.hi) if one else words.NOTHING


def both_cells(evidence: Evidence, metric: str) -> list[str]:
    return [value_cell(evidence, metric), interval_cell(evidence, metric)]


def diagnostic_cell(evidence: Evidence, name: str) -> str:
    return words.number(evidence.diagnostics[name]) if name in evidence.diagnostics else words.NOTHING


def level_said(evidence: Evidence) -> str:
    """The level and the way of the intervals, in the words of a caption."""
    ways = sorted({(one.level, one.method) for one in evidence.estimates.values() if one.lo < one.hi})
    return ", ".join(f"{words.percent(level)} by {METHODS[method]}" for level, method in ways) or "none in this run"
