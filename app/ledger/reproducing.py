"""Measuring a claim's frozen document once more: a claim of its own, with its own nonce and run."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import Session, select

from app.ledger import filing
from app.ledger.errors import TooLateError, UnknownClaimError
from app.ledger.filing import Filed
from app.ledger.signing import Signing
from app.ledger.tables import ClaimRow
from claims.registration.reading import freeze


def reproduce(
    session: Session,
    claim: str,
    registrant: str,
    *,
    signing: Signing,
    public_url: str,
    model_root: Path | None,
) -> Filed:
    """File the document of `claim` once more, for this registrant; of a reproduction, that of its original.

    Raises `UnknownClaimError`, `TooLateError` for what was withdrawn, and `RefusedInputError` with every flaw that
    the document has by now: an instrument at another version, a model or a dataset that the service lacks.
    """
    original = _original(session, claim)
    document = session.exec(select(ClaimRow.document).where(ClaimRow.id == original)).one()
    filed = filing.file(
        session,
        freeze(document),
        registrant,
        signing=signing,
        public_url=public_url,
        model_root=model_root,
        reproduces=original,
    )
    _original(session, claim)  # under the log's lock, which filing took, nobody withdraws any more
    return filed


def _original(session: Session, claim: str) -> str:
    """What a reproduction of `claim` reproduces; raises for what is not there or was withdrawn."""
    row = session.exec(select(ClaimRow.reproduces, ClaimRow.status).where(ClaimRow.id == claim)).one_or_none()
    if row is None:
        raise UnknownClaimError(claim)
    reproduces, status = row
    if status == "withdrawn":
        raise TooLateError(claim, "it was withdrawn")
    return claim if reproduces is None else _original(session, reproduces)
