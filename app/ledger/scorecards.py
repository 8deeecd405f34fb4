"""The dose series on the ledger, and what it says of each instrument's version.

Only what the log says counts here, so that trust can be rebuilt from it. Whether the code that measured the series is
the code that runs now is for those to say who show a scorecard.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlmodel import Session, col, select

from app.ledger.tables import ClaimRow, EvidenceRow
from claims.dose_series import Point, point_of
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.registration.model import Registration
from claims.scorecards import Scorecard, is_calibrated, scorecard_of
from claims.trust import is_registered


def points(session: Session) -> list[Point]:
    """What every registered claim of the dose series has found in its deciding run, in the order of the log."""
    return list(_points(session))


def scorecards(session: Session) -> Mapping[str, Scorecard]:
    """The scorecard of every instrument that states how it is calibrated, by name."""
    found = points(session)
    cards = {name: scorecard_of(instrument.MANIFEST, found) for name, instrument in catalogue().items()}
    return {name: card for name, card in cards.items() if card is not None}


def calibrates(session: Session, chosen: Mapping[str, Any]) -> bool:
    """Whether the instrument chosen by a registration (its part `instrument`) is calibrated, as the log stands."""
    instrument = catalogue().get(chosen["name"])
    if instrument is None or not instrument.MANIFEST.calibrations:
        return False
    return is_calibrated(chosen, points(session), catalogue())


def _points(session: Session) -> Iterator[Point]:
    query = (
        select(EvidenceRow, ClaimRow.precedence, ClaimRow.registration)
        .join(ClaimRow, col(ClaimRow.run) == col(EvidenceRow.run))
        .where(col(EvidenceRow.dose).is_not(None))
        .order_by(col(EvidenceRow.seq))
    )
    for row, precedence, document in session.exec(query):
        registration, evidence = Registration.model_validate(document), Evidence.model_validate(row.body)
        point = point_of(row.claim, row.seq, registration, evidence) if is_registered(precedence) else None
        if point is not None:
            yield point
