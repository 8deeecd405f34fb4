"""Claims by what they are about and what became of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import BeforeValidator, Field, WithJsonSchema

from app import errors
from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.description import answers
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.schemas.answers import Page
from app.api.schemas.claims import ListedClaim
from app.ledger.bounds import Bounds, moment
from app.ledger.filters import ClaimFilter
from app.ledger.queries import MOST_IN_A_LIST, list_claims
from claims.provenance import Dirty
from claims.trust import Trust

router = APIRouter(tags=["claims"], dependencies=[STRICT])

Status = Literal["registered", "running", "confirmed", "refuted", "inconclusive", "void", "withdrawn"]
Precedence = Literal["attested", "post_hoc", "proven", "committed", "recorded"]


def _at_commas(values: list[str]) -> list[str]:
    return [word for value in values for word in value.split(",")]


SEVERAL = BeforeValidator(_at_commas)
Words = Annotated[list[Annotated[str, Query(min_length=1)]], SEVERAL, Query(max_length=100)]
Moment = Annotated[datetime, BeforeValidator(moment), WithJsonSchema({"type": "string", "examples": ["2026-12-01"]})]
Figure = Annotated[float, Field(allow_inf_nan=False)]


@router.get("/v1/claims", summary="Claims, newest first", responses=answers())
def get_claims(
    request: Request,
    response: Response,
    ledger: TheLedger,
    settings: TheSettings,
    *,
    status: Annotated[list[Status], SEVERAL, Query(description="What came of it.")] = [],  # noqa: B006 - never changed
    superseded: Annotated[bool | None, Query(description="Whether another claim replaced it.")] = None,
    contested: Annotated[bool | None, Query(description="Whether what it builds on gave way.")] = None,
    refuted_or_superseded: Annotated[bool | None, Query(description="Whether it did not hold or was replaced.")] = None,
    reproduced: Annotated[bool | None, Query(description="Whether an independent reproduction is recorded.")] = None,
    corrected: Annotated[bool | None, Query(description="Whether its verdict was corrected.")] = None,
    overdue: Annotated[bool | None, Query(description="Whether it waits longer than it should to be opened.")] = None,
    precedence: Annotated[list[Precedence], SEVERAL, Query(description="How we know it came before.")] = [],  # noqa: B006
    trust: Annotated[list[Trust], SEVERAL, Query(description="How far it may be leaned on.")] = [],  # noqa: B006
    dirty: Annotated[list[Dirty], SEVERAL, Query(description="The tree of the code that measured.")] = [],  # noqa: B006
    model: Words = [],  # noqa: B006
    instrument: Words = [],  # noqa: B006
    metric: Words = [],  # noqa: B006
    registrant: Words = [],  # noqa: B006
    dataset: Words = [],  # noqa: B006
    dimension: Words = [],  # noqa: B006
    filed_from: Annotated[Moment | None, Query(description="A date, or a time with its offset.")] = None,
    filed_before: Annotated[Moment | None, Query(description="The first moment that is no longer meant.")] = None,
    estimate_min: Annotated[
        Figure | None, Query(description="Of a hypothesis, on `metric` where one is given.")
    ] = None,
    estimate_max: Annotated[Figure | None, Query(description="Of the same hypothesis.")] = None,
    lo_min: Annotated[Figure | None, Query(description="Of the same: the lower bound of its interval.")] = None,
    hi_max: Annotated[Figure | None, Query(description="Of the same: the upper bound of its interval.")] = None,
    q: Annotated[
        str | None,
        Query(min_length=1, max_length=1000, description='Words, "phrases", or, -not; in title, statement, rationale.'),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_IN_A_LIST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Page[ListedClaim]:
    """Each parameter narrows the list. One that takes words may repeat or hold commas, and means any of them."""
    chosen = ClaimFilter(
        status=tuple(status),
        superseded=superseded,
        contested=contested,
        refuted_or_superseded=refuted_or_superseded,
        reproduced=reproduced,
        corrected=corrected,
        overdue=overdue,
        overdue_hours=settings.overdue_hours,
        precedence=tuple(precedence),
        trust=tuple(trust),
        dirty=tuple(dirty),
        model=tuple(model),
        instrument=tuple(instrument),
        metric=tuple(metric),
        registrant=tuple(registrant),
        dataset=tuple(dataset),
        dimension=tuple(dimension),
        bounds=Bounds(filed_from, filed_before, estimate_min, estimate_max, lo_min, hi_max),
        q=q,
    )
    with refused_as(errors.InvalidQueryError), ledger.begin() as session:
        page = list_claims(session, chosen, cursor=cursor, limit=limit)
    link_to_next(request, response, page.next)
    return Page(items=[ListedClaim.of(claim) for claim in page.items], next=page.next)
