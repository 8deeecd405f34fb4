"""Runs, and how far they are."""

from __future__ import annotations

from fastapi import APIRouter

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.addresses import ClaimInPath, RunInPath, missing
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Page
from app.api.schemas.runs import Run
from app.ledger import records

router = APIRouter(tags=["runs"], dependencies=[STRICT])


@router.get("/v1/claims/{claim}/runs", summary="A claim's runs", responses=answers(errors.NotFoundError))
def get_runs(ledger: TheLedger, claim: ClaimInPath) -> Page[Run]:
    """In the order in which they were queued. The first one opened decides."""
    with ledger.begin() as session:
        runs = records.runs_of(session, claim)
    if not runs:
        raise missing("claim", claim)
    return Page(items=[Run.of(run) for run in runs], next=None)


@router.get("/v1/runs/{run}", summary="One run", responses=answers(errors.NotFoundError))
def get_run(ledger: TheLedger, run: RunInPath) -> Run:
    """Its status and progress: rows done, rate, and how long the rest will take."""
    with ledger.begin() as session:
        found = records.run(session, run)
    if found is None:
        raise missing("run", run)
    return Run.of(found)
