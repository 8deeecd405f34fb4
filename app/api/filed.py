"""What a filing answers: its receipt, and the same again to the same request under the same Idempotency-Key."""

from __future__ import annotations

from typing import Any, Protocol

import structlog
from fastapi import Request
from fastapi.responses import JSONResponse
from sqlmodel import Session

from app import errors
from app.dispatch import BrokerUnavailableError
from app.ledger import idempotency, outbox
from app.ledger.errors import IdempotencyKeyReusedError
from app.ledger.filing import Filed

log = structlog.get_logger(__name__)


class File(Protocol):
    """Puts a claim on the ledger in this transaction; the keywords are those of `app.ledger.filing.file`."""

    def __call__(self, session: Session, **place: Any) -> Filed: ...  # noqa: ANN401 - passed on


def receipt(request: Request, registrant: str, sent: bytes, key: str | None, file: File) -> JSONResponse:
    """201 with the receipt of what `file` put on the ledger, once that is committed; the workers are told.

    `sent` is what the key stands for; under a key that came before, its first answer is given and nothing is filed.
    """
    try:
        answer, run = _answer(request, registrant, sent, key, file)
    except IdempotencyKeyReusedError:
        raise errors.IdempotencyKeyReusedError("The key came with other bytes before.") from None
    if run is not None:
        _relay(request, run)
    return JSONResponse(answer.body, answer.status, {"Location": f"/v1/claims/{answer.body['claim']}"})


def _answer(
    request: Request, registrant: str, sent: bytes, key: str | None, file: File
) -> tuple[idempotency.Answer, str | None]:
    """One transaction: what the key answered before, or the filing, its answer kept under the key, and its run."""
    state = request.app.state
    with state.ledger.begin() as session:
        first = idempotency.recall(session, registrant, key, sent) if key is not None else None
        if first is not None:
            return first, None
        public_url, model_root = str(request.base_url), state.settings.model_root
        filed = file(session, signing=state.signing, public_url=public_url, model_root=model_root)
        answer = idempotency.Answer(201, filed.receipt)
        if key is not None:
            idempotency.remember(session, registrant, key, sent, answer)
        return answer, filed.run


def _relay(request: Request, run: str) -> None:
    """Tells the workers. The claim is on the ledger whatever becomes of it: their clock relays what was not sent."""
    try:
        outbox.relay(request.app.state.ledger, request.app.state.dispatch.measure_shard, run=run)
    except BrokerUnavailableError as error:
        log.warning("filed, but the broker is not reachable; the workers' clock will relay", exc_info=error)
