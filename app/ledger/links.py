"""What a registrant does to a claim of their own: supersede it, withdraw it."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session, col, select

from app.ledger.append import append, lock
from app.ledger.errors import NotTheRegistrantError, TooLateError, UnknownClaimError
from app.ledger.tables import ClaimRow, RunRow
from claims.characters import flaws_of_line
from claims.entries import Entry
from claims.flaws import Flaw, RefusedInputError
from claims.lifecycle import IllegalStepError

LONGEST_REASON = 2000
REPLACED = """
WITH RECURSIVE replacing(id) AS (
    SELECT superseded_by FROM claims WHERE id = :claim
    UNION SELECT superseded_by FROM claims JOIN replacing USING (id) WHERE superseded_by IS NOT NULL)
SELECT count(*) FROM replacing WHERE id = :by
"""


def supersede(session: Session, claim: str, by: str, registrant: str, reason: str) -> Entry:
    """Say that `by` replaces `claim`, both of this registrant.

    Raises `UnknownClaimError`, `NotTheRegistrantError`, `TooLateError` (superseded already, or withdrawn),
    `RefusedInputError`.
    """
    _check_reason(reason)
    if by == claim:
        raise RefusedInputError(Flaw("/by", "same_claim", "a claim does not supersede itself", "Name the newer claim."))
    lock(session)
    _check_own(session, claim, registrant)
    _check_own(session, by, registrant)
    _refuse_withdrawn(session, claim, by)
    _refuse_circle(session, claim, by)
    return _append(session, "superseded", claim, registrant, {"by": by, "reason": reason})


def withdraw(session: Session, claim: str, registrant: str, reason: str) -> Entry:
    """Withdraw a claim before any worker has opened it; it stays on the ledger, and is counted.

    Raises `UnknownClaimError`, `NotTheRegistrantError`, `TooLateError` (opened or withdrawn), `RefusedInputError`.
    """
    _check_reason(reason)
    # The run first: a worker that opens it holds it too, and whoever has the log may not wait for a run.
    session.exec(select(RunRow.id).where(RunRow.claim == claim).order_by(col(RunRow.id)).with_for_update()).all()
    lock(session)
    _check_own(session, claim, registrant)
    return _append(session, "withdrawn", claim, registrant, {"reason": reason})


def _append(session: Session, type_: str, claim: str, registrant: str, payload: dict[str, str]) -> Entry:
    try:
        return append(session, type_, claim, registrant, payload)
    except IllegalStepError as error:
        _, _, why = str(error).partition(": ")
        raise TooLateError(claim, why) from error


def _check_own(session: Session, claim: str, registrant: str) -> None:
    owner = session.exec(select(ClaimRow.registrant).where(ClaimRow.id == claim)).one_or_none()
    if owner is None:
        raise UnknownClaimError(claim)
    if owner != registrant:
        raise NotTheRegistrantError(claim)


def _check_reason(reason: str) -> None:
    """A reason is mandatory; raises `RefusedInputError` for one that is empty, too long or not plain text."""
    flaws = flaws_of_line(reason, "/reason", "the reason")
    if not 0 < len(reason.strip()) <= len(reason) <= LONGEST_REASON:
        remedy = f"Say why in 1 to {LONGEST_REASON} characters."
        flaws.append(Flaw("/reason", "bad_length", f"the reason has {len(reason)} characters", remedy))
    if flaws:
        raise RefusedInputError(*flaws)


def _refuse_withdrawn(session: Session, claim: str, by: str) -> None:
    """What was withdrawn neither replaces a claim nor is replaced: it claims nothing any more."""
    asked = select(ClaimRow.id).where(col(ClaimRow.id).in_((claim, by)), ClaimRow.status == "withdrawn")
    withdrawn = set(session.exec(asked))
    if claim in withdrawn:
        raise TooLateError(claim, "it was withdrawn")
    if by in withdrawn:
        detail = f"claim {by} was withdrawn"
        raise RefusedInputError(Flaw("/by", "claim_withdrawn", detail, "Name a claim that was not withdrawn."))


def _refuse_circle(session: Session, claim: str, by: str) -> None:
    """A claim that `claim` has replaced, directly or not, cannot replace it."""
    if session.execute(text(REPLACED), {"claim": by, "by": claim}).scalar_one():
        detail = f"claim {by} is itself superseded by {claim}"
        raise RefusedInputError(Flaw("/by", "circular_link", detail, "Name a claim that this one has not replaced."))
