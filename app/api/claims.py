"""One claim: what was frozen, what came of it, and every entry that says so."""

from __future__ import annotations

import json
from typing import Any, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response
from sqlmodel import Session

from app import errors
from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.conditional import json_answer
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Page
from app.api.schemas.attempts import AttemptsAtMetric
from app.api.schemas.claims import Claim, ClaimLink, FullHypothesis, Judgement, Reproduction, commit_of, listed
from app.api.schemas.history import LogEntry
from app.api.schemas.voids import voids_of
from app.ledger import imports, log, queries, records
from app.ledger.families import Families, families
from app.ledger.judgements import judgements_in, reproductions_in
from app.ledger.queries import ClaimSummary
from claims import forecast_window
from claims.precedence import Precedence, why
from claims.registration.model import Registration

router = APIRouter(tags=["claims"], dependencies=[STRICT])


@router.get("/v1/claims/{claim}", response_model=Claim, summary="One claim", responses=answers(errors.NotFoundError))
def get_claim(request: Request, ledger: TheLedger, settings: TheSettings, claim: ClaimInPath) -> Response:
    """The claim whole. Its ETag changes when anything about it does; the frozen document never does."""
    with ledger.begin() as session:
        summary = queries.get_claim(session, claim)
        if summary is None:
            raise _no_claim(session, claim)
        answer = _whole(session, summary, families(session, claim, settings.overdue_hours))
    return json_answer(request, answer)


@router.get(
    "/v1/claims/{claim}/history",
    response_model=Page[LogEntry],
    summary="A claim's entries",
    responses=answers(errors.NotFoundError),
)
def get_history(request: Request, ledger: TheLedger, claim: ClaimInPath) -> Response:
    """Every entry of the log about this claim, oldest first: all else that is said of it follows from these."""
    with ledger.begin() as session:
        if queries.get_claim(session, claim) is None:
            raise _no_claim(session, claim)
        entries = log.history(session, claim)
    return json_answer(request, Page[LogEntry](items=[LogEntry.of(entry) for entry in entries], next=None))


def _no_claim(session: Session, claim: str) -> errors.NotFoundError:
    """That there is no such claim; where an imported record has the name, where that is."""
    if imports.find(session, claim) is None:
        return missing("claim", claim)
    detail = f"There is no claim {claim!r}: it is an imported record, which was not measured here."
    return errors.NotFoundError(detail, remedy=f"GET /v1/imports/{claim} answers with it.")


def _whole(session: Session, summary: ClaimSummary, tried: Families | None) -> Claim:
    entries = log.history(session, summary.id)
    canonical = queries.document(session, summary.id)
    assert canonical is not None, "a claim has its document"
    assert tried is not None, "a claim is an attempt"
    document: dict[str, Any] = json.loads(canonical)
    registration = Registration.model_validate(document)
    frozen = {hypothesis.id: hypothesis for hypothesis in registration.hypotheses}
    hypotheses = [
        FullHypothesis(
            **FullHypothesis.columns(row),
            statement=frozen[row.id].statement,
            predict=frozen[row.id].predict.model_dump(),
        )
        for row in summary.hypotheses
    ]
    return Claim(
        **listed(summary),
        hypotheses=hypotheses,
        registration=document,
        not_before=forecast_window.end_of(entries[0]),
        precedence_reason=why(cast("Precedence", summary.precedence)),
        service=commit_of(entries[0].payload["service"]),
        voids=voids_of(registration, entries, records.evidence_of(session, summary.id)),
        judgements=[Judgement.of(summary.id, judgement) for judgement in judgements_in(entries)],
        reproductions=[Reproduction.of(found) for found in reproductions_in(session, entries)],
        links=[ClaimLink.of(link) for link in records.links_of(session, summary.id)],
        attempts=[AttemptsAtMetric.of_family(found) for found in tried.by_metric],
    )
