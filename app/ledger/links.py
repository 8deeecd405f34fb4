"""Links that people draw: a claim supersedes or contradicts another, or is withdrawn."""

from __future__ import annotations

from sqlalchemy import text
from sqlmodel import Session, col, select

from app.ledger.append import append, lock
from app.ledger.errors import NotTheRegistrantError, TooLateError, UnknownClaimError
from app.ledger.tables import ClaimRow, RunRow
from claims.characters import flaws_of_line
from claims.entries import Entry
from claims.flaws import Flaw, RefusedInputError, pointer
from claims.lifecycle import IllegalStepError
from claims.registration.model import Registration

LONGEST_TEXT = 2000
# What a claim stands on, and what replaced any of it: from a claim, both lead to the ground that it has now.
GROUND = """
WITH RECURSIVE steps(above, below) AS NOT MATERIALIZED (
    SELECT source, target FROM links WHERE type = 'builds_on'
    UNION ALL SELECT target, source FROM links WHERE type = 'supersedes'),
ground(id) AS (
    SELECT below FROM steps WHERE above = :by
    UNION SELECT below FROM steps JOIN ground ON above = ground.id)
SELECT count(*) FROM ground WHERE id = :claim
"""


def supersede(session: Session, claim: str, by: str, registrant: str, reason: str) -> Entry:
    """Say that `by` replaces `claim`, both of this registrant.

    Raises `UnknownClaimError`, `NotTheRegistrantError`, `TooLateError` (superseded already, or withdrawn),
    `RefusedInputError`.
    """
    check_texts(reason=reason)
    if by == claim:
        raise _refusal("same_claim", "a claim does not supersede itself", "Name the newer claim.")
    lock(session)
    _check_own(session, claim, registrant)
    _check_own(session, by, registrant)
    _refuse_withdrawn(session, claim, by)
    _refuse_circle(session, claim, by)
    return _append(session, "superseded", claim, registrant, {"by": by, "reason": reason})


def contradict(session: Session, claim: str, by: str, registrant: str, reason: str) -> Entry:
    """Say that `by`, a claim of this registrant, contradicts `claim`, somebody else's; both stand as they are.

    Raises `UnknownClaimError`, `NotTheRegistrantError` (of `by`), `TooLateError` (contradicted by it already, or
    withdrawn), `RefusedInputError`.
    """
    check_texts(reason=reason)
    if by == claim:
        raise _refusal("same_claim", "a claim does not contradict itself", "Name the claim that speaks against it.")
    lock(session)
    owner = _owner(session, claim)
    _check_own(session, by, registrant)
    if owner == registrant:
        remedy = f"Supersede claim {claim} instead: only others contradict."
        raise RefusedInputError(Flaw("", "own_claim", f"claim {claim} is your own", remedy))
    _refuse_withdrawn(session, claim, by)
    return _append(session, "contradicted", claim, registrant, {"by": by, "reason": reason})


def withdraw(session: Session, claim: str, registrant: str, reason: str) -> Entry:
    """Withdraw a claim before any worker has opened it; it stays on the ledger, and is counted.

    Raises `UnknownClaimError`, `NotTheRegistrantError`, `TooLateError` (opened or withdrawn), `RefusedInputError`.
    """
    check_texts(reason=reason)
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


def circle_flaws(session: Session, registration: Registration) -> list[Flaw]:
    """Why a registration cannot amend what it names: it would stand on the very claim that it replaces."""
    amended, named = registration.amends, registration.builds_on
    if amended is None:
        return []
    return [
        Flaw(
            pointer("builds_on", index),
            "circular_link",
            f"claim {ancestor} is, or stands on, claim {amended.claim}, which this one would replace",
            "Leave it out of `builds_on`, or file without `amends`.",
        )
        for index, ancestor in enumerate(named)
        if ancestor == amended.claim or _stands_on(session, ancestor, amended.claim)
    ]


def _owner(session: Session, claim: str) -> str:
    owner = session.exec(select(ClaimRow.registrant).where(ClaimRow.id == claim)).one_or_none()
    if owner is None:
        raise UnknownClaimError(claim)
    return owner


def _check_own(session: Session, claim: str, registrant: str) -> None:
    if _owner(session, claim) != registrant:
        raise NotTheRegistrantError(claim)


def check_texts(**texts: str) -> None:
    """Every such text is mandatory; raises `RefusedInputError` for one that is empty, too long or not plain text."""
    flaws: list[Flaw] = []
    for name, given in texts.items():
        flaws += flaws_of_line(given, pointer(name), f"the {name}")
        if not 0 < len(given.strip()) <= len(given) <= LONGEST_TEXT:
            detail = f"the {name} has {len(given)} characters"
            flaws.append(Flaw(pointer(name), "bad_length", detail, f"Say it in 1 to {LONGEST_TEXT} characters."))
    if flaws:
        raise RefusedInputError(*flaws)


def _refuse_withdrawn(session: Session, claim: str, by: str) -> None:
    """What was withdrawn is linked with no other claim: it claims nothing any more."""
    asked = select(ClaimRow.id).where(col(ClaimRow.id).in_((claim, by)), ClaimRow.status == "withdrawn")
    withdrawn = set(session.exec(asked))
    if claim in withdrawn:
        raise TooLateError(claim, "it was withdrawn")
    if by in withdrawn:
        detail = f"claim {by} was withdrawn"
        raise _refusal("claim_withdrawn", detail, "Name a claim that was not withdrawn.")


def _refuse_circle(session: Session, claim: str, by: str) -> None:
    """A claim that stands on `claim`, or that `claim` has replaced, directly or not, cannot replace it."""
    if _stands_on(session, by, claim):
        detail = f"claim {by} stands on claim {claim}, or is itself superseded by it"
        raise _refusal("circular_link", detail, "Name a claim that neither builds on this one nor was replaced by it.")


def _stands_on(session: Session, claim: str, ground: str) -> bool:
    return bool(session.execute(text(GROUND), {"by": claim, "claim": ground}).scalar_one())


def _refusal(code: str, detail: str, remedy: str) -> RefusedInputError:
    return RefusedInputError(Flaw("/by", code, detail, remedy))
