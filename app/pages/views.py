"""The pages' addresses: each reads the ledger in one transaction, then renders."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from sqlmodel import Session

from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.addresses import ClaimInPath, RecordInPath, missing
from app.api.protocol.conditional import tagged
from app.api.protocol.refusals import refused_as
from app.errors import InvalidQueryError, NotFoundError, ProblemError
from app.ledger import checkpoints, overdue, queries, tree
from app.ledger import datasets as stored
from app.ledger import imports as imported
from app.ledger.filters import ClaimFilter
from app.ledger.log import newest
from app.ledger.scorecards import scorecards
from app.ledger.tables import ImportRow
from app.pages import asking, assets, reading
from app.pages.bundled import bundle_of
from app.pages.claim.page import claim_page
from app.pages.datasets import dataset_view
from app.pages.home import tallies
from app.pages.imports import record_line, record_page
from app.pages.instruments import instrument_views
from app.pages.listing import address, listing
from app.pages.log import log_page
from app.pages.pictures import gallery_of
from app.pages.problems import FLAWS, problem_view, problem_views
from app.pages.rendering import HEADERS, base_url, page
from claims.canonical import sha256_hex
from claims.dose_series import INSTRUMENT
from claims.instrument_source import source_sha256
from claims.lifecycle import VERDICTS

LINES = 25  # claims on one page of a list
NEWEST = 8
ENTRIES = 20


router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
router.add_api_route("/static/{version}/{name}", assets.serve, methods=["GET"])


def error_page(request: Request, problem: ProblemError) -> HTMLResponse:
    """The problem for people, with its own status and headers."""
    failure = problem.members.get("id")
    answer = page(request, "error.html", status=problem.status.value, problem=problem, failure=failure)
    answer.headers.update({**problem.headers, "Cache-Control": "no-store"})
    return answer


@router.get("/")
def home(request: Request, ledger: TheLedger, settings: TheSettings) -> Response:
    asking.check(request.query_params, ())
    with ledger.begin() as session:
        counts, records = queries.counts(session), imported.count(session)
        late = overdue.count(session, settings.overdue_hours)
        found = queries.list_claims(session, ClaimFilter(status=VERDICTS), limit=NEWEST).items
        newest = reading.claim_lines(session, found, settings.overdue_hours)
    return page(
        request, "home.html", tallies=tallies(counts), overdue=late, newest=newest, total=counts.claims, records=records
    )


@router.get("/claims")
def claims(request: Request, ledger: TheLedger, settings: TheSettings) -> Response:
    query = request.query_params
    chosen, cursor = asking.filters(query, settings.overdue_hours), asking.cursor(query)
    if any(not value for _, value in query.multi_items()):  # an untouched field of the form: no filter, no clutter
        return RedirectResponse(address(chosen), status_code=303)
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found = queries.list_claims(session, chosen, cursor=cursor, limit=LINES)
        lines = reading.claim_lines(session, found.items, settings.overdue_hours)
    return page(request, "claims.html", listing=listing(chosen, lines, cursor=cursor, following=found.next))


@router.get("/refuted-and-superseded")
def refuted_and_superseded(request: Request, ledger: TheLedger, settings: TheSettings) -> Response:
    asking.check(request.query_params, ("cursor",))
    cursor = asking.cursor(request.query_params)
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found = queries.list_claims(session, ClaimFilter(refuted_or_superseded=True), cursor=cursor, limit=LINES)
        lines = reading.claim_lines(session, found.items, settings.overdue_hours)
    return page(request, "fallen.html", found=lines, next=found.next)


@router.get("/claims/{claim}")
def claim(request: Request, ledger: TheLedger, settings: TheSettings, claim: ClaimInPath) -> Response:
    asking.check(request.query_params, ())
    with ledger.begin() as session:
        record = reading.claim_record(session, claim, settings.overdue_hours)
        if record is None and imported.find(session, claim) is not None:
            return RedirectResponse(f"/imports/{claim}", status_code=303)
        if record is None:
            raise missing("claim", claim)

    gallery = gallery_of(record, lambda: reading.rows(ledger, record.rows_sha256 or ""))
    shown = claim_page(record, base_url(request))
    bundled = bundle_of(request.app.state.bundles, claim, shown.proof.size)
    return page(request, "claim.html", claim=shown, gallery=gallery, bundled=bundled)


@router.get("/claims/{claim}/registration.json")
def registration(request: Request, ledger: TheLedger, claim: ClaimInPath) -> Response:
    """The frozen document's canonical bytes: those whose hash the claim is known by."""
    with ledger.begin() as session:
        body = queries.document(session, claim)
    if body is None:
        raise missing("claim", claim)
    return _file(request, claim, "registration.json", body)


@router.get("/claims/{claim}/receipt.json")
def receipt(request: Request, ledger: TheLedger, claim: ClaimInPath) -> Response:
    """The receipt as it was handed out when the claim was filed."""
    with ledger.begin() as session:
        found = queries.receipt(session, claim)
    if found is None:
        raise missing("receipt of claim", claim)
    return _file(request, claim, "receipt.json", json.dumps(found, indent=2).encode())


@router.get("/instruments")
def instruments(request: Request, ledger: TheLedger) -> Response:
    asking.check(request.query_params, ())
    with ledger.begin() as session:
        cards = scorecards(session)
    return page(request, "instruments.html", instruments=instrument_views(cards, source_sha256(INSTRUMENT)))


@router.get("/datasets")
def datasets(request: Request, ledger: TheLedger) -> Response:
    asking.check(request.query_params, ("cursor",))
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found = stored.newest(session, cursor=asking.cursor(request.query_params), limit=LINES)
    return page(request, "datasets.html", datasets=[dataset_view(row) for row in found.items], next=found.next)


@router.get("/imports")
def imports(request: Request, ledger: TheLedger) -> Response:
    asking.check(request.query_params, ("cursor",))
    with refused_as(InvalidQueryError), ledger.begin() as session:
        found = imported.newest(session, cursor=asking.cursor(request.query_params), limit=LINES)
        lines = [record_line(row) for row in found.items]
    return page(request, "imports.html", records=lines, next=found.next)


@router.get("/imports/{record}")
def imported_record(request: Request, ledger: TheLedger, record: RecordInPath) -> Response:
    asking.check(request.query_params, ())
    with ledger.begin() as session:
        row = _imported(session, record)
        found = record_page(row, *imported.beside(session, row))
    return page(request, "import.html", page=found)


@router.get("/imports/{record}/record.json")
def record_file(request: Request, ledger: TheLedger, record: RecordInPath) -> Response:
    """The record's canonical bytes: those whose hash it is known by."""
    with ledger.begin() as session:
        body = _imported(session, record).document
    return _file(request, record, "record.json", body)


@router.get("/log")
def log(request: Request, ledger: TheLedger) -> Response:
    asking.check(request.query_params, ())
    signing = request.app.state.signing
    with ledger.begin() as session:
        size, last = tree.size(session), newest(session, ENTRIES)
        head = checkpoints.newest(session)
        vouching = checkpoints.vouching(session, head.size) if head else []
        forked = checkpoints.other_history(session, request.app.state.settings.checkpoints)
    shown = log_page(signing, size, head, vouching, last)
    return page(request, "log.html", log=shown, forked=forked, url=base_url(request))


@router.get("/problems")
def problems(request: Request) -> Response:
    return page(request, "problems.html", problems=problem_views(), flaws=FLAWS.items())


@router.get("/problems/{code}")
def problem(request: Request, code: str) -> Response:
    known = problem_view(code)
    if known is None:
        raise NotFoundError(f"There is no problem type {code!r}.", remedy="The error reference lists every one.")
    return page(request, "problem.html", problem=known)


def _imported(session: Session, record: str) -> ImportRow:
    found = imported.find(session, record)
    if found is None:
        raise missing("imported record", record)
    return found


def _file(request: Request, claim: str, name: str, body: bytes) -> Response:
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{claim}.{name}"'}
    return tagged(request, body, sha256_hex(body), "application/json", headers)
