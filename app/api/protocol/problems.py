"""Problems as answers (RFC 9457): how each is written, and that nothing else is ever answered to a failed request."""

from __future__ import annotations

import json
import secrets
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.api.protocol.querying import declared
from app.errors import (
    BadRequestError,
    InternalError,
    InvalidQueryError,
    MethodNotAllowedError,
    NotFoundError,
    ProblemError,
    UnavailableError,
    UnknownRouteError,
)
from claims.flaws import Flaw, pointer

MEDIA_TYPE = "application/problem+json"
log = structlog.get_logger(__name__)


def as_object(problem: ProblemError, instance: str) -> dict[str, Any]:
    """The problem as the JSON object that people get; `instance` is the path of the request."""
    return {
        "type": f"/problems/{problem.code}",
        "title": problem.title,
        "status": problem.status.value,
        "detail": problem.detail,
        "instance": instance,
        "remedy": problem.what_to_do,
        "errors": [
            {"pointer": flaw.pointer, "code": flaw.code, "detail": flaw.detail, "remedy": flaw.remedy}
            for flaw in problem.flaws
        ],
        **problem.members,
    }


def answer(request: Request, problem: ProblemError) -> Response:
    """The problem as JSON, or as a page to a browser that asked for one."""
    if _wants_page(request):
        page: Response = request.app.state.error_page(request, problem)
        return page
    # Escaped to ASCII: a detail may quote what no encoding can hold.
    # The path of the scope: that of the URL ends where a line break or a question mark was escaped.
    body = json.dumps(as_object(problem, request.scope["path"])).encode("ascii")
    headers = {"Cache-Control": "no-store", **problem.headers}
    return Response(body, problem.status, headers, media_type=MEDIA_TYPE)


def failure(request: Request, error: Exception) -> Response:
    """The answer to a fault of ours: an id for the reader, the stack trace for the log alone."""
    name = secrets.token_hex(8)
    log.error("request failed", id=name, path=request.url.path, exc_info=error)
    return answer(request, InternalError("The service failed while it answered.", members={"id": name}))


def _wants_page(request: Request) -> bool:
    inside = request.url.path.startswith("/v1/")
    return not inside and request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", "")


def install(app: FastAPI) -> None:
    """Has every exception that can leave a route answered as a problem."""
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    for unavailable in (OperationalError, InterfaceError, PoolTimeoutError):
        app.add_exception_handler(unavailable, _database)


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return answer(request, error)


async def _http(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses, and what a page cannot find."""
    assert isinstance(error, HTTPException)
    kinds: dict[int, type[ProblemError]] = {
        HTTPStatus.NOT_FOUND: UnknownRouteError if error.detail == "Not Found" else NotFoundError,
        HTTPStatus.METHOD_NOT_ALLOWED: MethodNotAllowedError,
    }
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return failure(request, error)
    kind = kinds.get(error.status_code, BadRequestError)
    detail = f"Nothing answers {request.scope['path']}." if kind is UnknownRouteError else str(error.detail)
    return answer(request, kind(detail, headers=error.headers))


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    needed = {parameter["name"] for parameter in declared(request) if parameter["required"]}
    flaws = [_flaw(flaw, needed) for flaw in error.errors()]
    return answer(request, InvalidQueryError(flaws[0].detail, flaws=flaws))


def _flaw(flaw: dict[str, Any], needed: set[str]) -> Flaw:
    where, name = flaw["loc"][0], flaw["loc"][1]
    kind = {"query": "parameter", "path": "part of the path"}.get(where, where)
    message = str(flaw["msg"]).removeprefix("Value error, ")
    code = "missing_parameter" if flaw["type"] == "missing" else "invalid_parameter"
    remedy = "Give it a value of the form that docs/api.md states"
    return Flaw(
        pointer(*flaw["loc"][1:]),
        code,
        f"The {kind} {name!r} is refused: {message[:1].lower()}{message[1:]}.".replace("..", "."),
        f"{remedy}." if name in needed else f"{remedy}, or leave it out.",
    )


async def _database(request: Request, error: Exception) -> Response:
    log.error("database unavailable", path=request.url.path, exc_info=error)
    return answer(request, UnavailableError("The ledger's database cannot be reached, or is busy."))
