"""How often what a claim measures was tried, by anyone, and what came of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from app import errors
from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.description import answers
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.schemas.attempts import AttemptsAnswer, AttemptsAtMetric, ListedAttempt
from app.ledger.attempts import attempts
from app.ledger.families import families
from app.ledger.queries import MOST_IN_A_LIST

router = APIRouter(tags=["claims"], dependencies=[STRICT])


@router.get("/v1/claims/{claim}/attempts", summary="How often it was tried", responses=answers(errors.NotFoundError))
def get_attempts(
    request: Request,
    response: Response,
    ledger: TheLedger,
    settings: TheSettings,
    claim: ClaimInPath,
    *,
    metric: Annotated[str | None, Query(min_length=1, description="Only the claims of this metric's family.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_IN_A_LIST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> AttemptsAnswer:
    """The families of a claim, one a metric, counted; and the claims in them, in the order of filing."""
    hours = settings.overdue_hours
    with refused_as(errors.InvalidQueryError), ledger.begin() as session:
        found = families(session, claim, hours)
        if found is None:
            raise missing("claim", claim)
        page = attempts(session, claim, hours, metric=metric, cursor=cursor, limit=limit)
    link_to_next(request, response, page.next)
    return AttemptsAnswer(
        claim=claim,
        numbered=found.claim,
        instrument=found.instrument,
        weights=list(found.weights),
        dataset=found.dataset,
        families=[AttemptsAtMetric.of_family(one) for one in found.by_metric],
        items=[ListedAttempt.of_attempt(one) for one in page.items],
        next=page.next,
    )
