"""A claim and its reproductions compared, as soon as both are judged, and again whenever one is corrected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlmodel import Session, col, select

from app.ledger import log
from app.ledger.append import LEDGER, append
from app.ledger.inline import enclose
from app.ledger.tables import ClaimRow, EvidenceRow, HypothesisRow
from claims.canonical import canonical_bytes
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
        run = session.exec(select(ClaimRow.run).where(ClaimRow.id == again)).one()
        registration = session.exec(select(ClaimRow.registration).where(ClaimRow.id == original)).one()
        found = compare(
            Registration.model_validate(registration), _measured(session, original), _measured(session, again)
        )
        append(session, "reproduced", original, LEDGER, {"by": again, "run": run, **_payload(session, found)})


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


def _measured(session: Session, claim: str) -> Measured:
    run, registrant = session.exec(select(ClaimRow.run, ClaimRow.registrant).where(ClaimRow.id == claim)).one()
    outcomes = session.exec(select(HypothesisRow.id, HypothesisRow.outcome).where(HypothesisRow.claim == claim))
    body = session.exec(select(col(EvidenceRow.body)).where(EvidenceRow.run == run)).one()
    ends = (entry.payload for entry in log.history(session, claim) if entry.type == "run_ended")
    machines = next(end.get("machines", []) for end in ends if end["run"] == run)
    return Measured(
        registrant=registrant,
        machines=frozenset(machines),
        outcomes={name: str(outcome) for name, outcome in outcomes},
        figures=figures_of(Evidence.model_validate(body)),
    )


def _payload(session: Session, found: Comparison) -> dict[str, Any]:
    document = {"metrics": found.figures}
    enclosed = enclose(session, document, canonical_bytes(document))
    compared = enclosed.get("metrics", enclosed)  # as many as make it large stand beside the log
    return {"kind": found.kind, "agrees": found.agrees, "why": found.why, "compared": compared}
