"""What people may say of a claim after it was filed: that it is superseded, contradicted, wrong or withdrawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Depends

from app import errors
from app.api.protocol.access import Filer, TheLedger, caller_of
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.bodies import REASON, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.querying import STRICT
from app.api.protocol.reading import read_as
from app.api.protocol.refusals import refused_as
from app.api.schemas.history import LogEntry
from app.api.schemas.links import Contradicting, Correcting, Superseding, Withdrawing
from app.ledger import links
from app.ledger.correcting import Asked, correct
from app.ledger.errors import NotCorrectableError, NotTheRegistrantError, TooLateError, UnknownClaimError
from app.ledger.registrants import Caller
from claims.flaws import Flaw, RefusedInputError

_ESTIMATING = Lock()
WAIT_SECONDS = 10.0
router = APIRouter(tags=["claims"], dependencies=[STRICT])
Body = Annotated[bytes, Depends(body_of(REASON))]
ONCE = (
    "A claim is superseded once, and not after it was withdrawn. Supersede the claim that replaced it instead, "
    "or let the newer claim stand by itself."
)
OTHERWISE = "What was said once is not said again, and what was withdrawn claims nothing any more."
ADMIN = "admin"  # may correct the claims of others too
REFUSALS = (
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
PROBLEMS: dict[int | str, dict[str, Any]] = answers(*REFUSALS)


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
    "/v1/claims/{claim}/contradict",
    summary="Say that a claim of one's own contradicts somebody else's",
    responses=PROBLEMS,
    openapi_extra=body(REASON, reference(Contradicting), "The claim that contradicts it, and why."),
)
def contradict(ledger: TheLedger, caller: Filer, claim: ClaimInPath, document: Body) -> LogEntry:
    """Only others contradict a claim: one's own is superseded. Both stay as they are; the answer is the entry."""
    with refused_as(errors.InvalidLinkError):
        given = read_as(Contradicting, document)
        with _in_words(claim, OTHERWISE), ledger.begin() as session:
            return LogEntry.of(links.contradict(session, claim, given.by, caller.registrant, given.reason))


@router.post(
    "/v1/claims/{claim}/correct",
    summary="Have the figures of a verdict computed anew",
    responses=answers(*REFUSALS, errors.NotCorrectableError, errors.UnavailableError),
    openapi_extra=body(REASON, reference(Correcting), "Which run, what was wrong with it, and why it is corrected."),
)
def correct_claim(
    ledger: TheLedger, caller: Annotated[Caller, Depends(caller_of)], claim: ClaimInPath, document: Body
) -> LogEntry:
    """The ledger computes the estimates from the stored rows with the instrument's code as it is now, and judges again.

    For the claim's registrant, with the scope `file`, or for a key with the scope `admin`. Both verdicts stay on the
    ledger. The answer is the `corrected` entry; the second `adjudicated` follows it. It takes as long as estimating.
    """
    if not caller.scopes & {"file", ADMIN}:
        raise errors.ScopeMissingError("file", sorted(caller.scopes))
    with refused_as(errors.InvalidLinkError):
        given = read_as(Correcting, document)
        asked = Asked(claim, given.run, given.cause, given.reason)
        with _in_words(claim), _one_at_a_time():
            return LogEntry.of(correct(ledger, asked, caller.registrant, admin=ADMIN in caller.scopes))


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
    except NotCorrectableError as error:
        raise errors.NotCorrectableError(f"Claim {error.claim}: {error}.", remedy=error.remedy) from None
    except TooLateError as error:
        raise errors.TooLateError(f"Claim {error.claim}: {error}.", remedy=too_late) from None


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Estimating keeps a core and a thread of those that answer everybody: who comes meanwhile comes again."""
    if not _ESTIMATING.acquire(timeout=WAIT_SECONDS):
        raise errors.UnavailableError("Another verdict's figures are being computed anew.")
    try:
        yield
    finally:
        _ESTIMATING.release()


def _named(code: str, detail: str, remedy: str) -> RefusedInputError:
    return RefusedInputError(Flaw("/by", code, detail, remedy))
