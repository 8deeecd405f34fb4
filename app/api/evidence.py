"""What was measured for a claim: its evidence, and the rows that everything in it follows from."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from sqlmodel import Session

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.conditional import REVALIDATE, tagged, unchanged
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.ledger import blobs, log, queries, records
from app.ledger.judgements import judgements_in
from app.ledger.records import FoundEvidence
from claims.evidence import Evidence

router = APIRouter(tags=["evidence"], dependencies=[STRICT])
NDJSON = "application/x-ndjson"
Which = Annotated[int | None, Query(ge=1, description="The number of a verdict, from 1; the last unless given.")]
PROBLEMS = answers(errors.NotFoundError, errors.NothingMeasuredError)


@router.get("/v1/claims/{claim}/evidence", response_model=Evidence, summary="What was found", responses=PROBLEMS)
def get_evidence(request: Request, ledger: TheLedger, claim: ClaimInPath, judgement: Which = None) -> Response:
    """The deciding run's evidence, as its canonical bytes; once it was corrected, the corrected one.

    Their SHA-256 is `evidence_sha256` in the log, and the ETag. `judgement` asks for that of an earlier verdict.
    """
    with ledger.begin() as session:
        found = _evidence(session, claim, judgement)
    return tagged(request, found.canonical, found.sha256, "application/json")


@router.get(
    "/v1/claims/{claim}/rows",
    response_class=StreamingResponse,
    summary="The rows behind it",
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}}, **PROBLEMS},
)
def get_rows(request: Request, ledger: TheLedger, claim: ClaimInPath) -> Response:
    """The deciding run's `rows.jsonl`, one JSON object a line: their SHA-256 is `rows_sha256` of the evidence."""
    with ledger.begin() as session:
        found = _evidence(session, claim)
        size = blobs.size(session, found.rows_sha256)
    headers = {**REVALIDATE, "ETag": f'"{found.rows_sha256}"'}
    if unchanged(request, found.rows_sha256):
        return Response(status_code=304, headers=headers)
    rows = blobs.stream(ledger, found.rows_sha256, size)
    return StreamingResponse(rows, media_type=NDJSON, headers={**headers, "Content-Length": str(size)})


def _evidence(session: Session, claim: str, judgement: int | None = None) -> FoundEvidence:
    """The evidence that stands, or that of an earlier verdict; a corrected one is of the same rows."""
    found = records.evidence_of(session, claim)
    if found is not None and judgement is not None:
        verdicts = judgements_in(log.history(session, claim))
        if judgement > len(verdicts):
            raise missing(f"judgement {judgement} of claim", claim)
        return verdicts[judgement - 1].evidence(session)
    if found is not None:
        return found
    if queries.get_claim(session, claim) is None:
        raise missing("claim", claim)
    raise errors.NothingMeasuredError(f"No run of claim {claim} has ended with evidence.")
