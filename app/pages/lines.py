"""A claim as one line of a list: what it says, how it stands, and what its primary hypotheses came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.pages import words
from claims.registration.model import Hypothesis


@dataclass(frozen=True)
class Found:
    """What was adjudicated of one hypothesis; figures are None where nothing was measured."""

    estimate: float | None
    lo: float | None
    hi: float | None
    outcome: str | None


@dataclass(frozen=True)
class HypothesisLine:
    metric: str
    condition: str
    shown: str
    outcome: str | None


@dataclass(frozen=True)
class ClaimLine:
    """`attempt` is which of how many at its most often tried primary metric."""

    id: str
    title: str
    statement: str
    status: str
    superseded_by: str | None
    contested: bool
    overdue: bool
    attempt: tuple[int, int]
    precedence: str
    model: str
    instrument: str
    registrant: str
    filed: datetime
    judged: datetime | None
    hypotheses: Sequence[HypothesisLine]


def primary_lines(primaries: Sequence[Hypothesis], found: Mapping[str, Found]) -> list[HypothesisLine]:
    """The primary hypotheses in the document's order, each with its estimate and interval."""
    return [_line(one, found.get(one.id)) for one in primaries]


def _line(hypothesis: Hypothesis, found: Found | None) -> HypothesisLine:
    beside = words.thresholds(hypothesis.predict)
    shown = ""
    if found and found.estimate is not None and found.lo is not None and found.hi is not None:
        shown = f"{words.number(found.estimate, beside=beside)} {words.interval(found.lo, found.hi, beside=beside)}"
    outcome = found.outcome if found else None
    return HypothesisLine(hypothesis.metric, words.condition(hypothesis.predict), shown, outcome)
