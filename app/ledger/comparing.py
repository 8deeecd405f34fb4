"""A claim and its reproductions compared, as soon as both are judged, and again whenever one is corrected.

What is compared is read from the log alone: whoever holds a tampered table gets no false comparison into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from app.ledger import log
from app.ledger.append import LEDGER, append
from app.ledger.inline import document_of, enclose
from app.ledger.tables import ClaimRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import Entry
from claims.evidence import Evidence
from claims.lifecycle import DECIDED
from claims.registration.model import Registration
from claims.reproduction import Comparison, Measured, compare, figures_of


def compare_judged(session: Session, claim: str) -> None:
    """Append `reproduced` to the original, for every pair that `claim`, just judged, completes.

    The verdict was appended in this transaction, which therefore holds the log: of two claims that are judged at the
    same moment, the second sees the first, and the pair is compared once.
    """
    for original, again in _pairs(session, claim):
        run, found = comparison(session, original, again)
        append(session, "reproduced", original, LEDGER, {"by": again, "run": run, **_payload(session, found)})


def comparison(session: Session, original: str, again: str, *, before: int | None = None) -> tuple[str, Comparison]:
    """The run of `again` that decided, and how it compares with the original, as the log stood before entry `before`.

    Raises KeyError where one of them was not judged by then.
    """
    first, second = (log.history(session, claim, before=before) for claim in (original, again))
    registration = Registration.model_validate(document_of(session, first[0].payload["registration"]))
    return _deciding(second), compare(registration, _measured(session, first), _measured(session, second))


def says(payload: Mapping[str, Any], run: str, found: Comparison) -> bool:
    """Whether the payload of a `reproduced` entry is this comparison."""
    document = {"metrics": found.figures}
    compared = payload["compared"]
    if isinstance(compared, dict):
        canonical = canonical_bytes(document)
        same = compared == {"sha256": sha256_hex(canonical), "size": len(canonical)}
    else:
        same = canonical_bytes({"metrics": compared}) == canonical_bytes(document)
    told = (payload["run"], payload["kind"], payload["agrees"], payload["why"])
    return same and told == (run, found.kind, found.agrees, found.why)


def _pairs(session: Session, claim: str) -> Iterator[tuple[str, str]]:
    """The claim with what it reproduces, or with all that reproduce it, where both are judged and not void."""
    query = select(ClaimRow.id, ClaimRow.reproduces, ClaimRow.status)
    _, original, status = session.exec(query.where(ClaimRow.id == claim)).one()
    if status not in DECIDED:
        return
    others = col(ClaimRow.reproduces) == claim if original is None else col(ClaimRow.id) == original
    decided = query.where(others, col(ClaimRow.status).in_(DECIDED)).order_by(col(ClaimRow.seq))
    for other, *_ in session.exec(decided).all():
        yield (claim, other) if original is None else (other, claim)


def _deciding(history: Sequence[Entry]) -> str:
    """The run that decides: the first opened."""
    opened = {entry.payload["run"]: None for entry in history if entry.type == "opened"}
    if not opened:
        raise KeyError("no run was opened")
    return str(next(iter(opened)))


def _measured(session: Session, history: Sequence[Entry]) -> Measured:
    run = _deciding(history)
    latest = {entry.type: entry.payload for entry in history if entry.payload.get("run") == run}
    evidence = latest.get("corrected", latest["evidence_recorded"])["evidence"]
    return Measured(
        registrant=history[0].actor,
        machines=frozenset(latest["run_ended"].get("machines", [])),
        outcomes={one["id"]: one["outcome"] for one in latest["adjudicated"]["hypotheses"]},
        figures=figures_of(Evidence.model_validate(document_of(session, evidence))),
    )


def _payload(session: Session, found: Comparison) -> dict[str, Any]:
    document = {"metrics": found.figures}
    enclosed = enclose(session, document, canonical_bytes(document))
    compared = enclosed.get("metrics", enclosed)  # as many as make it large stand beside the log
    return {"kind": found.kind, "agrees": found.agrees, "why": found.why, "compared": compared}
