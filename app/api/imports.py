"""Published results of others, on somebody's word: imported, listed and read apart from the claims."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse

from app import errors
from app.api.protocol.access import Importer, TheLedger
from app.api.protocol.addresses import RecordInPath, missing
from app.api.protocol.bodies import REGISTRATION, body_of
from app.api.protocol.conditional import json_answer
from app.api.protocol.description import answers, body, reference
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.protocol.repeating import IdempotencyKey
from app.api.schemas.answers import Page
from app.api.schemas.imports import ImportedRecord, WholeRecord
from app.ledger import idempotency, imports
from app.ledger.database import Ledger
from app.ledger.errors import AlreadyImportedError, IdempotencyKeyReusedError
from app.ledger.queries import MOST_IN_A_LIST
from claims.imports import Record, read_record

router = APIRouter(tags=["imports"], dependencies=[STRICT])


@router.post(
    "/v1/imports",
    summary="Import a published result",
    status_code=201,
    response_model=WholeRecord,
    responses=answers(
        errors.UnauthenticatedError,
        errors.ScopeMissingError,
        errors.BodyTooSlowError,
        errors.AlreadyImportedError,
        errors.BodyTooLargeError,
        errors.WrongMediaTypeError,
        errors.WrongContentEncodingError,
        errors.InvalidImportError,
        errors.IdempotencyKeyReusedError,
    ),
    openapi_extra=body(REGISTRATION, reference(Record), "The record; nothing in it is repaired."),
)
def import_record(
    request: Request,
    ledger: TheLedger,
    caller: Importer,
    document: Annotated[bytes, Depends(body_of(REGISTRATION))],
    key: IdempotencyKey,
) -> JSONResponse:
    """Put a published result on the ledger, on the caller's word. It is no claim: nothing measures or judges it."""
    try:
        with refused_as(errors.InvalidImportError):
            answer = _put(ledger, caller.registrant, document, key)
    except AlreadyImportedError as known:
        raise _already_imported(known.record, str(request.base_url)) from None
    except IdempotencyKeyReusedError:
        raise errors.IdempotencyKeyReusedError("The key came with other bytes before.") from None
    return JSONResponse(answer.body, answer.status, {"Location": answer.body["url"]})


def _put(ledger: Ledger, registrant: str, document: bytes, key: str | None) -> idempotency.Answer:
    """One transaction: what the key answered before, or the record, its answer kept under the key."""
    read = read_record(document)
    with ledger.begin() as session:
        first = idempotency.recall(session, registrant, key, document) if key is not None else None
        if first is not None:
            return first
        row = imports.put(session, read, registrant)
        answer = idempotency.Answer(201, WholeRecord.of(row).model_dump(mode="json"))
        if key is not None:
            idempotency.remember(session, registrant, key, document, answer)
        return answer


def _already_imported(record: str, base: str) -> errors.AlreadyImportedError:
    members = {"record": record, "url": f"{base}imports/{record}"}
    headers = {"Location": f"/v1/imports/{record}"}
    return errors.AlreadyImportedError(f"It is the record {record}.", headers=headers, members=members)


@router.get("/v1/imports", summary="Imported records, newest first", responses=answers())
def get_imports(
    request: Request,
    response: Response,
    ledger: TheLedger,
    limit: Annotated[int, Query(ge=1, le=MOST_IN_A_LIST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Page[ImportedRecord]:
    """Every published result that was imported, also those that another replaced."""
    with refused_as(errors.InvalidQueryError), ledger.begin() as session:
        found = imports.newest(session, cursor=cursor, limit=limit)
    link_to_next(request, response, found.next)
    return Page(items=[ImportedRecord.of(row) for row in found.items], next=found.next)


@router.get(
    "/v1/imports/{record}",
    response_model=WholeRecord,
    summary="One imported record",
    responses=answers(errors.NotFoundError),
)
def get_import(request: Request, ledger: TheLedger, record: RecordInPath) -> Response:
    """The record whole. Its ETag changes when another replaces it; what was imported never does."""
    with ledger.begin() as session:
        found = imports.find(session, record)
    if found is None:
        raise missing("imported record", record)
    return json_answer(request, WholeRecord.of(found))
