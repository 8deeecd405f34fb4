"""Where projections are kept: in the database, or in memory to hold it against. The projectors are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sqlalchemy import cast, insert, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Session, col, select

from app.ledger import inline, log, scorecards
from app.ledger.tables import Base, ClaimRow
from claims.instruments import catalogue
from claims.lifecycle import ClaimState, fold
from claims.registration.model import Registration
from claims.trust import trust_of

# Which instrument a claim chose: name, version and parameters.
CHOSEN = col(ClaimRow.registration)["instrument"]


class Store(Protocol):
    """What a projector may ask and change; nothing of it reads a clock or draws a random number."""

    def insert(self, table: type[Base], *rows: Mapping[str, Any]) -> None:
        """Add rows."""

    def update(self, table: type[Base], key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        """Set `values` in every row whose columns equal those of `key`."""

    def canonical(self, enclosed: dict[str, Any]) -> bytes:
        """The bytes of a document that stands in a payload, or is named there (`app.ledger.inline`)."""

    def document(self, enclosed: dict[str, Any]) -> dict[str, Any]:
        """The document itself."""

    def registration(self, claim: str) -> Registration:
        """What the claim froze."""

    def state(self, claim: str, before: int) -> ClaimState | None:
        """The claim after its entries below `before`; None when there are none."""

    def trust(self, state: ClaimState, registration: Registration) -> str:
        """The claim's trust in that state, as the log stands."""

    def recalibrate(self) -> None:
        """Compute the trust of every claim anew whose instrument can be calibrated: a finding may have changed it."""


class SqlStore:
    """The tables, in one transaction."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def insert(self, table: type[Base], *rows: Mapping[str, Any]) -> None:
        self.session.execute(insert(table), [dict(row) for row in rows])

    def update(self, table: type[Base], key: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        where = [getattr(table, column) == value for column, value in key.items()]
        self.session.execute(update(table).where(*where).values(**values))

    def canonical(self, enclosed: dict[str, Any]) -> bytes:
        return inline.canonical_of(self.session, enclosed)

    def document(self, enclosed: dict[str, Any]) -> dict[str, Any]:
        return inline.document_of(self.session, enclosed)

    def registration(self, claim: str) -> Registration:
        document = self.session.exec(select(col(ClaimRow.registration)).where(ClaimRow.id == claim)).one()
        return Registration.model_validate(document)

    def state(self, claim: str, before: int) -> ClaimState | None:
        return fold(log.history(self.session, claim, before=before))

    def trust(self, state: ClaimState, registration: Registration) -> str:
        chosen = registration.instrument.model_dump(mode="json")
        return trust_of(state.precedence, state.status, calibrated=scorecards.calibrates(self.session, chosen))

    def recalibrate(self) -> None:
        calibrated = [name for name, instrument in catalogue().items() if instrument.MANIFEST.calibrations]
        basis = (col(ClaimRow.precedence), col(ClaimRow.status), CHOSEN)
        kinds = self.session.execute(select(*basis).where(col(ClaimRow.instrument).in_(calibrated)).distinct()).all()
        for precedence, status, chosen in kinds:
            trust = trust_of(precedence, status, calibrated=scorecards.calibrates(self.session, chosen))
            of_kind = (basis[0] == precedence, basis[1] == status, basis[2] == cast(chosen, JSONB))
            self.session.execute(update(ClaimRow).where(*of_kind).values(trust=trust))
