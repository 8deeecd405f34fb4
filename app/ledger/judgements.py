"""What a claim's own entries say of its verdicts and of its reproductions: every one, none in place of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import RowMapping
from sqlmodel import Session, col

from app.ledger.inline import REFERENCE, document_of
from app.ledger.records import FoundEvidence
from app.ledger.tables import ClaimRow
from claims.entries import Entry

Figures = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Correction:
    """Why a verdict was computed anew: `cause` is what was wrong, `code` the code that computed it."""

    seq: int
    time: datetime
    actor: str
    cause: str
    reason: str
    code: Mapping[str, Any]


@dataclass(frozen=True)
class Judgement:
    """A verdict, the `number`th of its claim. `correction` is what led to it, None for the first.

    `enclosed` is the evidence that it follows from, as it stands in the log.
    """

    number: int
    seq: int
    time: datetime
    run: str
    status: str
    hypotheses: Figures
    evidence_sha256: str
    rows_sha256: str
    enclosed: dict[str, Any]
    correction: Correction | None

    def evidence(self, session: Session) -> FoundEvidence:
        body = document_of(session, self.enclosed)
        return FoundEvidence(self.run, self.evidence_sha256, self.rows_sha256, body)


@dataclass(frozen=True)
class Reproduction:
    """What the ledger last said of a claim's reproduction `by`. `current`: neither was judged again since."""

    by: str
    run: str
    registrant: str
    status: str
    kind: str
    agrees: bool
    why: str
    compared: Figures
    seq: int
    time: datetime
    current: bool


def judgements_in(history: Sequence[Entry]) -> list[Judgement]:
    """Every verdict on evidence that a claim's entries hold, oldest first; the last one stands."""
    return list(_judgements(history))


def _judgements(history: Sequence[Entry]) -> Iterator[Judgement]:
    evidence: dict[str, Entry] = {}
    number = 0
    for entry in history:
        if entry.type in {"evidence_recorded", "corrected"}:
            evidence[entry.payload["run"]] = entry
        if entry.type == "adjudicated":
            number += 1
            yield _judgement(number, entry, evidence[entry.payload["run"]])


def _judgement(number: int, entry: Entry, source: Entry) -> Judgement:
    payload, found = entry.payload, source.payload
    corrected = source.type == "corrected"
    return Judgement(
        number=number,
        seq=entry.seq,
        time=entry.time,
        run=payload["run"],
        status=payload["status"],
        hypotheses=payload["hypotheses"],
        evidence_sha256=found["evidence_sha256"],
        rows_sha256=found["rows_sha256"],
        enclosed=found["evidence"],
        correction=_correction(source) if corrected else None,
    )


def _correction(entry: Entry) -> Correction:
    said = {name: entry.payload[name] for name in ("cause", "reason", "code")}
    return Correction(seq=entry.seq, time=entry.time, actor=entry.actor, **said)


def reproductions_in(session: Session, history: Sequence[Entry]) -> list[Reproduction]:
    """What was last said of each reproduction and rerun of the claim, in the order of their first comparison."""
    newest = {str(entry.payload["by"]): entry for entry in history if entry.type == "reproduced"}
    columns = [getattr(ClaimRow, name) for name in ("id", "registrant", "status", "judged")]
    query = sqlalchemy.select(*columns).where(col(ClaimRow.id).in_(newest))
    others = {row["id"]: row for row in session.execute(query).mappings()}
    judged = max((entry.time for entry in history if entry.type == "adjudicated"), default=None)
    return [_reproduction(session, entry, others[by], judged) for by, entry in newest.items()]


def _reproduction(session: Session, entry: Entry, other: RowMapping, judged: datetime | None) -> Reproduction:
    payload = entry.payload
    since = [moment for moment in (judged, other["judged"]) if moment is not None and moment > entry.time]
    return Reproduction(
        **{name: payload[name] for name in ("by", "run", "kind", "agrees", "why")},
        registrant=other["registrant"],
        status=other["status"],
        compared=_compared(session, payload["compared"]),
        seq=entry.seq,
        time=entry.time,
        current=not since,
    )


def _compared(session: Session, enclosed: Any) -> Figures:  # noqa: ANN401 - a list, or a reference to one
    if isinstance(enclosed, Mapping) and set(enclosed) == REFERENCE:
        metrics: Figures = document_of(session, dict(enclosed))["metrics"]
        return metrics
    figures: Figures = enclosed
    return figures
