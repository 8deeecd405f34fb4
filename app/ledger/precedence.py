"""What the ledger knows at filing of whether the data came first."""

from __future__ import annotations

from sqlmodel import Session, col, select

from app.ledger.lineage import measured_on
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
    """Whether evidence on this subject by this instrument is on the ledger."""
    found = (
        select(EvidenceRow.run)
        .join(ClaimRow, col(ClaimRow.id) == col(EvidenceRow.claim))
        .where(
            EvidenceRow.instrument == registration.instrument.name,
            measured_on(session, registration.subject),
        )
        .limit(1)
    )
    return session.exec(found).one_or_none() is not None
