"""Which claims a list shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Text, cast, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import col, select

from app.ledger.bounds import Bounds
from app.ledger.overdue import is_overdue
from app.ledger.tables import ClaimRow, EvidenceRow


@dataclass(frozen=True)
class ClaimFilter:
    """Every part narrows the list; an empty tuple or None leaves it open, several words mean any of them.

    `dirty` is of the code that measured for the deciding run: a claim without evidence has none. `reproduced` asks for
    an independent reproduction, whatever it found, `overdue` for what has waited for more than `overdue_hours` since it
    could be opened (ValueError without these hours). `q` is in the syntax of web search engines (words, "phrases",
    or, -not), over title, statement and rationale. `dataset` is the pairs' SHA-256 or a generator's name, `dimension`
    one that the document asks for.
    """

    status: tuple[str, ...] = ()
    superseded: bool | None = None
    contested: bool | None = None
    refuted_or_superseded: bool | None = None
    reproduced: bool | None = None
    corrected: bool | None = None
    overdue: bool | None = None
    overdue_hours: int | None = None
    precedence: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    dirty: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    instrument: tuple[str, ...] = ()
    metric: tuple[str, ...] = ()
    registrant: tuple[str, ...] = ()
    dataset: tuple[str, ...] = ()
    dimension: tuple[str, ...] = ()
    bounds: Bounds = field(default_factory=Bounds)
    q: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        words = {
            ClaimRow.status: self.status,
            ClaimRow.precedence: self.precedence,
            ClaimRow.trust: self.trust,
            ClaimRow.model: self.model,
            ClaimRow.instrument: self.instrument,
            ClaimRow.registrant: self.registrant,
        }
        found: list[ColumnElement[bool]] = [col(column).in_(chosen) for column, chosen in words.items() if chosen]
        if self.metric:
            found.append(col(ClaimRow.metrics).op("&&")(cast(self.metric, ARRAY(Text))))
        if self.dataset:
            found.append(col(ClaimRow.dataset).in_(self.dataset))
        if self.dimension:
            asked = func.jsonb_extract_path(col(ClaimRow.registration), "subject", "dataset", "dimensions", type_=JSONB)
            found.append(asked.op("?|")(cast(self.dimension, ARRAY(Text))))
        found += self.bounds.conditions(self.metric)
        if self.dirty:
            deciding = (col(EvidenceRow.run) == col(ClaimRow.run)) & col(EvidenceRow.dirty).in_(self.dirty)
            found.append(select(EvidenceRow.run).where(deciding).correlate(ClaimRow).exists())
        replaced, refuted = col(ClaimRow.superseded_by).is_not(None), col(ClaimRow.status) == "refuted"
        flags: list[tuple[bool | None, ColumnElement[bool]]] = [
            (self.superseded, replaced),
            (self.contested, col(ClaimRow.contested).is_(True)),
            (self.refuted_or_superseded, refuted | replaced),
            (self.reproduced, col(ClaimRow.reproduced).is_(True)),
            (self.corrected, col(ClaimRow.corrected).is_(True)),
        ]
        if self.overdue is not None:
            flags.append((self.overdue, self._overdue()))
        found += [holds if asked else ~holds for asked, holds in flags if asked is not None]
        if self.q is not None:
            found.append(col(ClaimRow.search).op("@@")(func.websearch_to_tsquery("english", self.q)))
        return found

    def _overdue(self) -> ColumnElement[bool]:
        if self.overdue_hours is None:
            raise ValueError("how long may a claim wait before it is overdue?")
        return is_overdue(self.overdue_hours)
