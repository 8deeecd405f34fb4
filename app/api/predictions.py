"""Filing: the way of a prediction onto the ledger."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from app import errors
from app.api.filed import receipt
from app.api.protocol.access import Filer, TheLedger
from app.api.protocol.bodies import REGISTRATION, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.protocol.repeating import IdempotencyKey
from app.api.schemas.predictions import Checked, Receipt
from app.ledger import designing, filing
from app.ledger.errors import AlreadyFiledError
from claims.registration.model import Registration
from claims.registration.reading import freeze

router = APIRouter(tags=["predictions"], dependencies=[STRICT])


@router.post(
    "/v1/predictions",
    summary="File a prediction",
    status_code=201,
    response_model=Receipt,
    responses=answers(
        errors.UnauthenticatedError,
        errors.ScopeMissingError,
        errors.BodyTooSlowError,
        errors.AlreadyFiledError,
        errors.BodyTooLargeError,
        errors.WrongMediaTypeError,
        errors.WrongContentEncodingError,
        errors.InvalidRegistrationError,
        errors.IdempotencyKeyReusedError,
    ),
    openapi_extra=body(REGISTRATION, reference(Registration), "The frozen document; nothing in it is repaired."),
)
def file_prediction(
    request: Request,
    caller: Filer,
    document: Annotated[bytes, Depends(body_of(REGISTRATION))],
    key: IdempotencyKey,
) -> JSONResponse:
    """Freeze a prediction before any data exists.

    The answer is a signed receipt, given only once the claim is on the ledger. Measuring starts by itself.
    """
    try:
        with refused_as(errors.InvalidRegistrationError):
            file = partial(filing.file, frozen=freeze(document), registrant=caller.registrant)
            return receipt(request, caller.registrant, document, key, file)
    except AlreadyFiledError as known:
        raise _already_filed(known.claim, str(request.base_url)) from None


@router.post(
    "/v1/predictions:check",
    summary="Check a design before filing it",
    response_model=Checked,
    responses=answers(
        errors.UnauthenticatedError,
        errors.ScopeMissingError,
        errors.BodyTooSlowError,
        errors.BodyTooLargeError,
        errors.WrongMediaTypeError,
        errors.WrongContentEncodingError,
        errors.InvalidRegistrationError,
    ),
    openapi_extra=body(REGISTRATION, reference(Registration), "The document as it would be filed."),
)
def check_prediction(
    request: Request, ledger: TheLedger, caller: Filer, document: Annotated[bytes, Depends(body_of(REGISTRATION))]
) -> Checked:
    """Say what filing would say, and record nothing: flaws, power, what is detectable, precedence, cost.

    It takes a key of the scope that filing takes, for it is simulated, which takes seconds.
    """
    model_root = request.app.state.settings.model_root
    with refused_as(errors.InvalidRegistrationError):
        frozen = freeze(document)
        with ledger.begin() as session:
            return Checked.of(designing.checked(session, frozen, caller.registrant, model_root))


def _already_filed(claim: str, base: str) -> errors.AlreadyFiledError:
    members = {"claim": claim, "url": f"{base}claims/{claim}"}
    headers = {"Location": f"/v1/claims/{claim}"}
    return errors.AlreadyFiledError(f"It is claim {claim}.", headers=headers, members=members)
