"""What others say of the log's heads: read by anyone, delivered by the witnesses whose keys are pinned."""

from __future__ import annotations

import base64
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.bodies import REASON, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.querying import STRICT
from app.api.protocol.reading import read_as
from app.api.protocol.refusals import refused_as
from app.api.schemas.anchors import AnchorOfCheckpoint, Anchors, Cosigning
from app.ledger import anchors, checkpoints
from app.ledger.anchors import RefusedAnchorError, UnknownCheckpointError, Witness
from app.ledger.cursors import LARGEST
from app.ledger.database import Ledger
from app.settings import Settings, SettingsError, variable

router = APIRouter(tags=["log"], dependencies=[STRICT])


def pinned(settings: Settings) -> tuple[Witness, ...]:
    """The witnesses that the settings pin; raises SettingsError for a file that is not what it should be."""
    if settings.witnesses is None:
        return ()
    try:
        return anchors.read_witnesses(settings.witnesses.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{variable('witnesses')}={settings.witnesses} cannot be used: {error}") from error


@router.get(
    "/v1/log/anchors/{size}",
    summary="What anchors a checkpoint",
    responses=answers(errors.NotFoundError, errors.InvalidQueryError),
)
def get_anchors(ledger: TheLedger, size: Annotated[int, Path(ge=1, le=LARGEST)]) -> Anchors:
    """Cosignatures and timestamps of the checkpoint over `size` entries, each to be checked with its own key."""
    return _anchors(ledger, size)


@router.post(
    "/v1/log/cosignatures",
    summary="Deliver a witness's cosignature",
    status_code=201,
    responses=answers(
        errors.NotFoundError,
        errors.BodyTooSlowError,
        errors.BodyTooLargeError,
        errors.WrongMediaTypeError,
        errors.WrongContentEncodingError,
        errors.InvalidCosignatureError,
    ),
    openapi_extra=body(REASON, reference(Cosigning), "The line, and the checkpoint that it is about."),
)
def deliver_cosignature(
    request: Request, ledger: TheLedger, document: Annotated[bytes, Depends(body_of(REASON))]
) -> Anchors:
    """Takes no API key: the line is signed, and only by a witness whose key is pinned here. The first line stays."""
    with refused_as(errors.InvalidCosignatureError):
        given = read_as(Cosigning, document)
    try:
        with ledger.begin() as session:
            anchors.accept_cosignature(session, given.size, given.line, request.app.state.witnesses)
    except UnknownCheckpointError:
        raise _missing(given.size) from None
    except RefusedAnchorError as refused:
        raise errors.InvalidCosignatureError(f"The line was refused: {refused}.") from None
    return _anchors(ledger, given.size)


def _anchors(ledger: Ledger, size: int) -> Anchors:
    with ledger.begin() as session:
        issued, found = checkpoints.at(session, size), anchors.of_checkpoint(session, size)
    if issued is None:
        raise _missing(size)
    given = [
        AnchorOfCheckpoint.model_validate(
            {
                "kind": row.kind,
                "name": row.name,
                "time": row.time,
                "received": row.received,
                "body": base64.b64encode(row.body).decode(),
            }
        )
        for row in found
    ]
    return Anchors(size=size, checkpoint=issued.note, anchors=given)


def _missing(size: int) -> errors.NotFoundError:
    remedy = "GET /v1/log/checkpoint gives the newest; one is signed as the log grows."
    return errors.NotFoundError(f"No checkpoint has the size {size}.", remedy=remedy)
