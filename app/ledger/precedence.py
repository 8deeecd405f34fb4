"""What the ledger knows at filing of whether the data came first."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func
from sqlmodel import Session, col, select

from app.ledger.subjects import dataset_name, model_name
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.precedence import precedence_at_filing
from claims.registration.model import HuggingFaceModel, LocalModel, Registration, SubjectModel


def precedence_now(session: Session, registration: Registration) -> str:
    """The precedence of a registration filed in this transaction; asked under the log's lock."""
    return precedence_at_filing(
        registration,
        amended_after_opening=_amends_opened(session, registration),
        earlier_evidence=_measured_before(session, registration),
    )


def _amends_opened(session: Session, registration: Registration) -> bool:
    if registration.amends is None:
        return False
    opened = select(ClaimRow.opened).where(ClaimRow.id == registration.amends.claim)
    return session.exec(opened).one() is not None


def _measured_before(session: Session, registration: Registration) -> bool:
    """Whether evidence on the same weights, dataset and instrument is on the ledger."""
    found = (
        select(EvidenceRow.run)
        .join(ClaimRow, col(ClaimRow.id) == col(EvidenceRow.claim))
        .where(
            EvidenceRow.instrument == registration.instrument.name,
            EvidenceRow.dataset == dataset_name(registration.subject.dataset),
            _same_weights(registration.subject.model),
        )
        .limit(1)
    )
    return session.exec(found).one_or_none() is not None


def _same_weights(model: SubjectModel) -> ColumnElement[bool]:
    """The same by hash where the registration states one, else by the name that leads to just these weights."""
    if isinstance(model, LocalModel):
        return col(EvidenceRow.model) == model.weights_sha256
    same = col(ClaimRow.model) == model_name(model)
    if isinstance(model, HuggingFaceModel):
        frozen = func.jsonb_extract_path_text(col(ClaimRow.registration), "subject", "model", "revision")
        return same & (frozen == model.revision)
    return same
