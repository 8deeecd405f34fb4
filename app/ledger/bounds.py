"""Bounds that narrow a list of claims: when they were filed, and what was estimated."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import ColumnElement
from sqlmodel import col, select

from app.ledger.tables import ClaimRow, HypothesisRow

MOMENTS = ("filed_from", "filed_before")
FIGURES = ("estimate_min", "estimate_max", "lo_min", "hi_max")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d))?")


@dataclass(frozen=True)
class Bounds:
    """`filed_from` is the first moment that is meant, `filed_before` the first that no longer is.

    The other four are of one and the same hypothesis: its estimate, the lower and the upper bound of its interval.
    """

    filed_from: datetime | None = None
    filed_before: datetime | None = None
    estimate_min: float | None = None
    estimate_max: float | None = None
    lo_min: float | None = None
    hi_max: float | None = None

    def conditions(self, metrics: tuple[str, ...]) -> list[ColumnElement[bool]]:
        """What a claim has to meet; with `metrics`, by a hypothesis on one of these."""
        found: list[ColumnElement[bool]] = []
        if self.filed_from is not None:
            found.append(col(ClaimRow.filed) >= self.filed_from)
        if self.filed_before is not None:
            found.append(col(ClaimRow.filed) < self.filed_before)
        if figures := self._figures():
            own = [col(HypothesisRow.claim) == col(ClaimRow.id), *figures]
            own += [col(HypothesisRow.metric).in_(metrics)] if metrics else []
            found.append(select(HypothesisRow.id).where(*own).correlate(ClaimRow).exists())
        return found

    def asked(self) -> list[tuple[str, str]]:
        """The bounds that there are, by name, as `moment` and `figure` read them."""
        moments = [(name, getattr(self, name)) for name in MOMENTS]
        figures = [(name, getattr(self, name)) for name in FIGURES]
        told = [(name, value.isoformat().removesuffix("T00:00:00+00:00")) for name, value in moments if value]
        return told + [(name, repr(value)) for name, value in figures if value is not None]

    def _figures(self) -> list[ColumnElement[bool]]:
        estimate, lo, hi = (col(column) for column in (HypothesisRow.estimate, HypothesisRow.lo, HypothesisRow.hi))
        found: list[ColumnElement[bool]] = []
        found += [] if self.estimate_min is None else [estimate >= self.estimate_min]
        found += [] if self.estimate_max is None else [estimate <= self.estimate_max]
        found += [] if self.lo_min is None else [lo >= self.lo_min]
        found += [] if self.hi_max is None else [hi <= self.hi_max]
        return found


def moment(text: str) -> datetime:
    """`2026-12-01`, which is its beginning in UTC, or RFC 3339 with an offset; raises ValueError for all else."""
    if not _MOMENT.fullmatch(text):
        raise ValueError("give a date such as 2026-12-01 or a time such as 2026-12-01T12:00:00Z")
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def figure(text: str) -> float:
    """A finite number; raises ValueError for all else."""
    found = float(text)
    if not math.isfinite(found):
        raise ValueError("give a finite number")
    return found
