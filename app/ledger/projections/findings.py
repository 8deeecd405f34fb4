"""Evidence, and what was adjudicated of each hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert, update
from sqlmodel import Session, col, select

from app.ledger.inline import document_of
from app.ledger.projections.claims import recalibrate
from app.ledger.subjects import dataset_name, model_name
from app.ledger.tables import ClaimRow, EvidenceRow, HypothesisRow
from claims.dose_series import dose_of
from claims.entries import Entry
from claims.lifecycle import ClaimState
from claims.registration.model import Registration, Subject


def add_evidence(session: Session, entry: Entry, state: ClaimState) -> None:
    payload = entry.payload
    body = document_of(session, payload["evidence"])
    document = session.exec(select(col(ClaimRow.registration)).where(ClaimRow.id == state.id)).one()
    registration = Registration.model_validate(document)
    dose = dose_of(registration)
    session.execute(
        insert(EvidenceRow).values(
            run=payload["run"],
            claim=state.id,
            sha256=payload["evidence_sha256"],
            rows_sha256=payload["rows_sha256"],
            body=body,
            commit=body["provenance"]["commit"],
            dirty=body["provenance"]["dirty"],
            instrument=body["instrument"],
            seq=entry.seq,
            dose=dose,
            **_measured_subject(registration.subject, body),
        )
    )
    if dose is not None:
        recalibrate(session)


def adjudicate(session: Session, entry: Entry, state: ClaimState) -> None:
    for judged in entry.payload["hypotheses"]:
        values = {key: value for key, value in judged.items() if key != "id"}
        row = (col(HypothesisRow.claim) == state.id) & (col(HypothesisRow.id) == judged["id"])
        session.execute(update(HypothesisRow).where(row).values(**values))


def void_hypotheses(session: Session, entry: Entry, state: ClaimState) -> None:
    if entry.payload["run"] == state.run:
        void = {"outcome": "void", "void_reason": entry.payload["reason"]}
        session.execute(update(HypothesisRow).where(col(HypothesisRow.claim) == state.id).values(**void))


def _measured_subject(subject: Subject, body: Mapping[str, Any]) -> dict[str, str]:
    """The weights' and the pairs' hashes as measured; for what is generated, the names of recipe and generator."""
    return {
        "model": body["subject"]["model"]["weights_sha256"] or model_name(subject.model),
        "dataset": body["subject"]["dataset"]["sha256"] or dataset_name(subject.dataset),
    }
