"""What a registrant may do to a claim of their own after filing: supersede it, withdraw it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends

from app import errors
from app.api.protocol.access import Filer, TheLedger
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.bodies import REASON, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.querying import STRICT
from app.api.protocol.reading import read_as
from app.api.protocol.refusals import refused_as
from app.api.schemas.history import LogEntry
from app.api.schemas.links import Superseding, Withdrawing
from app.ledger import links
from app.ledger.errors import NotTheRegistrantError, TooLateError, UnknownClaimError
from claims.flaws import Flaw, RefusedInputError

router = APIRouter(tags=["claims"], dependencies=[STRICT])
Body = Annotated[bytes, Depends(body_of(REASON))]
ONCE = (
    "A claim is superseded once, and not after it was withdrawn. Supersede the claim that replaced it instead, "
    "or let the newer claim stand by itself."
)
PROBLEMS: dict[int | str, dict[str, Any]] = answers(
    errors.UnauthenticatedError,
    errors.ScopeMissingError,
    errors.NotYourClaimError,
    errors.NotFoundError,
    errors.BodyTooSlowError,
    errors.TooLateError,
    errors.BodyTooLargeError,
    errors.WrongMediaTypeError,
    errors.WrongContentEncodingError,
    errors.InvalidLinkError,
)


@router.post(
    "/v1/claims/{claim}/supersede",
    summary="Say that another claim replaces this one",
    responses=PROBLEMS,
    openapi_extra=body(REASON, reference(Superseding), "The claim that replaces it, and why."),
)
def supersede(ledger: TheLedger, caller: Filer, claim: ClaimInPath, document: Body) -> LogEntry:
    """Both claims must be the caller's, and both stay on the ledger. The answer is the entry that says so."""
    with refused_as(errors.InvalidLinkError):
        given = read_as(Superseding, document)
        with _in_words(claim, ONCE), ledger.begin() as session:
            return LogEntry.of(links.supersede(session, claim, given.by, caller.registrant, given.reason))


@router.post(
    "/v1/claims/{claim}/withdraw",
    summary="Withdraw a claim before its data opens",
    responses=PROBLEMS,
    openapi_extra=body(REASON, reference(Withdrawing), "Why."),
)
def withdraw(ledger: TheLedger, caller: Filer, claim: ClaimInPath, document: Body) -> LogEntry:
    """The claim stays on the ledger and is counted. The answer is the entry that says so."""
    with refused_as(errors.InvalidLinkError):
        given = read_as(Withdrawing, document)
        with _in_words(claim), ledger.begin() as session:
            return LogEntry.of(links.withdraw(session, claim, caller.registrant, given.reason))


@contextmanager
def _in_words(claim: str, too_late: str | None = None) -> Iterator[None]:
    """The ledger's refusals as problems: of the claim in the address, or else of the one that the body names.

    `too_late` says what to do where the claim's life no longer allows it.
    """
    try:
        yield
    except UnknownClaimError as error:
        if error.claim == claim:
            raise missing("claim", claim) from None
        raise _named("unknown_claim", f"there is no claim {error.claim}", "Name a claim by its id.") from None
    except NotTheRegistrantError as error:
        if error.claim == claim:
            raise errors.NotYourClaimError(f"Claim {claim} is somebody else's.") from None
        raise _named("not_your_claim", f"claim {error.claim} is somebody else's", "Name a claim of your own.") from None
    except TooLateError as error:
        raise errors.TooLateError(f"Claim {error.claim}: {error}.", remedy=too_late) from None


def _named(code: str, detail: str, remedy: str) -> RefusedInputError:
    return RefusedInputError(Flaw("/by", code, detail, remedy))
