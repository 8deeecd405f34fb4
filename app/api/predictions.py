"""Filing: the way of a prediction onto the ledger."""

from __future__ import annotations

from typing import Annotated

import structlog
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse

from app import errors
from app.api.protocol.access import Filer, TheLedger
from app.api.protocol.bodies import REGISTRATION, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.protocol.repeating import IdempotencyKey
from app.api.schemas.predictions import Receipt
from app.dispatch import BrokerUnavailableError
from app.ledger import filing, idempotency, outbox
from app.ledger.database import Ledger
from app.ledger.errors import AlreadyFiledError, IdempotencyKeyReusedError
from claims.registration.model import Registration
from claims.registration.reading import freeze

router = APIRouter(tags=["predictions"], dependencies=[STRICT])
log = structlog.get_logger(__name__)


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
    ledger: TheLedger,
    caller: Filer,
    document: Annotated[bytes, Depends(body_of(REGISTRATION))],
    key: IdempotencyKey,
) -> JSONResponse:
    """Freeze a prediction before any data exists.

    The answer is a signed receipt, given only once the claim is on the ledger. Measuring starts by itself.
    """
    base = str(request.base_url)
    try:
        with refused_as(errors.InvalidRegistrationError):
            answer, run = _file(request, ledger, caller.registrant, document, key)
    except AlreadyFiledError as known:
        raise _already_filed(known.claim, base) from None
    except IdempotencyKeyReusedError:
        raise errors.IdempotencyKeyReusedError("The key came with other bytes before.") from None
    if run is not None:
        _relay(request, run)
    return JSONResponse(answer.body, answer.status, {"Location": f"/v1/claims/{answer.body['claim']}"})


def _file(
    request: Request, ledger: Ledger, registrant: str, document: bytes, key: str | None
) -> tuple[idempotency.Answer, str | None]:
    """One transaction: what the key answered before, or the filing, its answer kept under the key, and its run."""
    state = request.app.state
    frozen = freeze(document)
    with ledger.begin() as session:
        first = idempotency.recall(session, registrant, key, document) if key is not None else None
        if first is not None:
            return first, None
        filed = filing.file(
            session,
            frozen,
            registrant,
            signing=state.signing,
            public_url=str(request.base_url),
            model_root=state.settings.model_root,
        )
        answer = idempotency.Answer(201, filed.receipt)
        if key is not None:
            idempotency.remember(session, registrant, key, document, answer)
        return answer, filed.run


def _relay(request: Request, run: str) -> None:
    """Tells the workers. The claim is on the ledger whatever becomes of it: their clock relays what was not sent."""
    try:
        outbox.relay(request.app.state.ledger, request.app.state.dispatch.measure_shard, run=run)
    except BrokerUnavailableError as error:
        log.warning("filed, but the broker is not reachable; the workers' clock will relay", exc_info=error)


def _already_filed(claim: str, base: str) -> errors.AlreadyFiledError:
    members = {"claim": claim, "url": f"{base}claims/{claim}"}
    headers = {"Location": f"/v1/claims/{claim}"}
    return errors.AlreadyFiledError(f"It is claim {claim}.", headers=headers, members=members)
