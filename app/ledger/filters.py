"""Which claims a list shows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Text, cast, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import col

from app.ledger.tables import ClaimRow


@dataclass(frozen=True)
class ClaimFilter:
    """Every part narrows the list; an empty tuple or None leaves it open, several words mean any of them.

    `q` is in the syntax of web search engines (words, "phrases", or, -not), over title, statement and rationale.
    """

    status: tuple[str, ...] = ()
    superseded: bool | None = None
    contested: bool | None = None
    refuted_or_superseded: bool | None = None
    precedence: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    instrument: tuple[str, ...] = ()
    metric: tuple[str, ...] = ()
    registrant: tuple[str, ...] = ()
    q: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        words = {
            ClaimRow.status: self.status,
            ClaimRow.precedence: self.precedence,
            ClaimRow.model: self.model,
            ClaimRow.instrument: self.instrument,
            ClaimRow.registrant: self.registrant,
        }
        found: list[ColumnElement[bool]] = [col(column).in_(chosen) for column, chosen in words.items() if chosen]
        if self.metric:
            found.append(col(ClaimRow.metrics).op("&&")(cast(self.metric, ARRAY(Text))))
        if self.superseded is not None:
            given = col(ClaimRow.superseded_by)
            found.append(given.is_not(None) if self.superseded else given.is_(None))
        if self.contested is not None:
            found.append(col(ClaimRow.contested).is_(self.contested))
        if self.refuted_or_superseded is not None:
            fell = (col(ClaimRow.status) == "refuted") | col(ClaimRow.superseded_by).is_not(None)
            found.append(fell if self.refuted_or_superseded else ~fell)
        if self.q is not None:
            found.append(col(ClaimRow.search).op("@@")(func.websearch_to_tsquery("english", self.q)))
        return found
