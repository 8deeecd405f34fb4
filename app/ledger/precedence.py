"""What the ledger knows at filing of whether the data came first."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.ledger.lineage import alike
from app.ledger.subjects import dataset_name, weights_name
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.precedence import precedence_at_filing
from claims.registration.model import Registration


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
    """Whether evidence on the same weights, under whatever name, and the same dataset and instrument is on the ledger.

    A directory that was named may have held other weights: of it, only what was measured counts.
    """
    names = alike(session, {weights_name(registration.subject.model)}).keys()
    named = col(ClaimRow.weights).in_(names) & ~col(ClaimRow.model).startswith("local:")
    found = (
        select(EvidenceRow.run)
        .join(ClaimRow, col(ClaimRow.id) == col(EvidenceRow.claim))
        .where(
            EvidenceRow.instrument == registration.instrument.name,
            EvidenceRow.dataset == dataset_name(registration.subject.dataset),
            named | col(EvidenceRow.model).in_(names),
        )
        .limit(1)
    )
    return session.exec(found).one_or_none() is not None
