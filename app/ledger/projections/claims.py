"""The claims themselves, and their hypotheses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import cast, insert, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Session, col, select

from app.ledger.inline import canonical_of, document_of
from app.ledger.scorecards import calibrates
from app.ledger.subjects import model_name
from app.ledger.tables import ClaimRow, HypothesisRow
from claims.entries import Entry
from claims.instruments import catalogue
from claims.lifecycle import ClaimState
from claims.registration.model import Registration
from claims.trust import trust_of

# Which instrument a claim chose: name, version and parameters.
CHOSEN = col(ClaimRow.registration)["instrument"]


def add_claim(session: Session, entry: Entry, state: ClaimState) -> None:
    document = document_of(session, entry.payload["registration"])
    registration = Registration.model_validate(document)
    session.execute(
        insert(ClaimRow).values(
            id=state.id,
            seq=entry.seq,
            document_sha256=state.document_sha256,
            document=canonical_of(session, entry.payload["registration"]),
            registration=document,
            registrant=state.registrant,
            title=registration.title,
            statement=registration.statement,
            instrument=registration.instrument.name,
            model=model_name(registration.subject.model),
            metrics=sorted({hypothesis.metric for hypothesis in registration.hypotheses}),
            reproduces=state.reproduces,
            precedence=state.precedence,
            filed=state.filed,
            **_changing(state, document["instrument"], session),
        )
    )
    session.execute(insert(HypothesisRow), _hypotheses(state.id, registration))


def update_claim(session: Session, state: ClaimState) -> None:
    chosen = session.exec(select(CHOSEN).where(ClaimRow.id == state.id)).one()
    session.execute(update(ClaimRow).where(col(ClaimRow.id) == state.id).values(_changing(state, chosen, session)))


def recalibrate(session: Session) -> None:
    """Compute the trust of every claim anew whose instrument can be calibrated: what was found may have changed it."""
    calibrated = [name for name, instrument in catalogue().items() if instrument.MANIFEST.calibrations]
    basis = (col(ClaimRow.precedence), col(ClaimRow.status), CHOSEN)
    kinds = session.execute(select(*basis).where(col(ClaimRow.instrument).in_(calibrated)).distinct()).all()
    for precedence, status, chosen in kinds:
        trust = trust_of(precedence, status, calibrated=calibrates(session, chosen))
        of_kind = (basis[0] == precedence, basis[1] == status, basis[2] == cast(chosen, JSONB))
        session.execute(update(ClaimRow).where(*of_kind).values(trust=trust))


def undermines(state: ClaimState) -> bool:
    """Whether what is built on this claim is contested: refuted, superseded, or corrected away from confirmed."""
    fell = "confirmed" in state.judgements and state.status != "confirmed"
    return state.status == "refuted" or state.superseded_by is not None or fell


def _changing(state: ClaimState, chosen: Mapping[str, Any], session: Session) -> dict[str, Any]:
    """The columns of a claim that later entries change."""
    return {
        "status": state.status,
        "trust": trust_of(state.precedence, state.status, calibrated=calibrates(session, chosen)),
        "run": state.run,
        "superseded_by": state.superseded_by,
        "contested": state.contested,
        "undermines": undermines(state),
        "opened": state.opened,
        "judged": state.judged,
        "withdrawn": state.withdrawn,
    }


def _hypotheses(claim: str, registration: Registration) -> list[dict[str, Any]]:
    return [
        {
            "claim": claim,
            "id": hypothesis.id,
            "position": position,
            "metric": hypothesis.metric,
            "primary": hypothesis.primary,
        }
        for position, hypothesis in enumerate(registration.hypotheses)
    ]
