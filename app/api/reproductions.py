"""One more measurement of what a claim froze."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from app import errors
from app.api.filed import receipt
from app.api.protocol.access import Filer
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.bodies import no_body
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.protocol.repeating import IdempotencyKey
from app.api.schemas.predictions import Receipt
from app.ledger.errors import TooLateError, UnknownClaimError
from app.ledger.reproducing import reproduce

router = APIRouter(tags=["claims"], dependencies=[STRICT])
WITHDRAWN = "What was withdrawn is not measured. File a prediction of your own (POST /v1/predictions)."


@router.post(
    "/v1/claims/{claim}/reproduce",
    summary="Measure a claim's frozen document once more",
    status_code=201,
    response_model=Receipt,
    responses=answers(
        errors.UnauthenticatedError,
        errors.ScopeMissingError,
        errors.NotFoundError,
        errors.TooLateError,
        errors.InvalidLinkError,
        errors.IdempotencyKeyReusedError,
    ),
)
def reproduce_claim(
    request: Request,
    caller: Filer,
    claim: ClaimInPath,
    key: IdempotencyKey,
    _: Annotated[None, Depends(no_body)],
) -> JSONResponse:
    """A claim of its own with the same document, its own nonce and run; the answer is its receipt. It takes no body.

    Anybody may, any number of times; a reproduction of a reproduction is one of the original. Once both are judged the
    ledger compares them, and says whether it is independent and whether it agrees.
    """
    sent = f"reproduce {claim}".encode()
    file = partial(reproduce, claim=claim, registrant=caller.registrant)
    try:
        with refused_as(errors.InvalidLinkError):
            return receipt(request, caller.registrant, sent, key, file)
    except UnknownClaimError as error:
        raise missing("claim", error.claim) from None
    except TooLateError as error:
        raise errors.TooLateError(f"Claim {error.claim}: {error}.", remedy=WITHDRAWN) from None
