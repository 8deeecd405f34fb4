"""Pages that hold registrants to account: every attempt at a thing, what was left lying, what probabilities came to."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.refusals import refused_as
from app.errors import InvalidQueryError
from app.ledger import queries
from app.ledger.attempts import attempts
from app.ledger.calibration import calibrated
from app.ledger.cursors import Page
from app.ledger.families import families
from app.ledger.filters import ClaimFilter
from app.ledger.track_records import forecasters, track_record
from app.pages import asking, reading
from app.pages.calibration import calibration_page
from app.pages.claim.attempts import attempts_page, most_tried
from app.pages.rendering import page

LINES = 25  # claims on one page of a list

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/claims/{claim}/attempts")
def attempts_at(request: Request, ledger: TheLedger, settings: TheSettings, claim: ClaimInPath) -> Response:
    """The family of one metric, that of the most often tried primary one unless the address names another."""
    asking.check(request.query_params, ("metric", "cursor"))
    asked, cursor, hours = (
        request.query_params.get("metric"),
        asking.cursor(request.query_params),
        settings.overdue_hours,
    )
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found = families(session, claim, hours)
        if found is None:
            raise missing("claim", claim)
        metric = asked or most_tried(found).metric
        listed = attempts(session, claim, hours, metric=metric, cursor=cursor, limit=LINES)
    one = next(one for one in found.by_metric if one.metric == metric)
    return page(request, "attempts.html", family=attempts_page(claim, found, one, listed.items, listed.next))


@router.get("/overdue")
def overdue(request: Request, ledger: TheLedger, settings: TheSettings) -> Response:
    asking.check(request.query_params, ("cursor",))
    cursor, hours = asking.cursor(request.query_params), settings.overdue_hours
    with refused_as(InvalidQueryError), ledger.begin() as session:
        chosen = ClaimFilter(overdue=True, overdue_hours=hours)
        found = queries.list_claims(session, chosen, cursor=cursor, limit=LINES)
        lines = reading.claim_lines(session, found.items, hours)
    return page(request, "overdue.html", found=lines, next=found.next, hours=hours)


@router.get("/calibration")
def calibration(request: Request, ledger: TheLedger) -> Response:
    """Everybody's, with a list of forecasters that `cursor` goes on; or one registrant's."""
    registrant = request.query_params.get("registrant") or None
    asking.check(request.query_params, ("registrant", "cursor") if registrant is None else ("registrant",))
    cursor = asking.cursor(request.query_params)
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found, made = calibrated(session, registrant), track_record(session, registrant)
        by = forecasters(session, cursor=cursor, limit=LINES) if registrant is None else Page([], None)
    return page(request, "calibration.html", calibration=calibration_page(found, made, by, registrant))
