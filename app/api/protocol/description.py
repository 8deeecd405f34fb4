"""The OpenAPI document: what FastAPI derives from the routes, with the problems and the bodies that it cannot see."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from app.api.protocol.bodies import BodyRule
from app.api.protocol.problems import MEDIA_TYPE, as_object
from app.api.schemas.anchors import Cosigning
from app.api.schemas.forecasts import Revealing, Sealing
from app.api.schemas.links import Contradicting, Correcting, Superseding, Withdrawing
from app.api.schemas.problems import Place, Problem
from app.errors import (
    BadRequestError,
    InternalError,
    InvalidQueryError,
    MethodNotAllowedError,
    ProblemError,
    UnavailableError,
)
from claims.imports import Record
from claims.registration.model import Registration

SCHEMAS = "#/components/schemas"
EVERYWHERE: tuple[type[ProblemError], ...] = (
    BadRequestError,
    InvalidQueryError,
    MethodNotAllowedError,
    InternalError,
    UnavailableError,
)
# Bodies are read by `claims`, not by FastAPI, which therefore does not know their models.
MODELS: tuple[type[BaseModel], ...] = (
    Problem,
    Place,
    Registration,
    Record,
    Superseding,
    Contradicting,
    Correcting,
    Withdrawing,
    Sealing,
    Revealing,
    Cosigning,
)


def answers(*problems: type[ProblemError]) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route that raises these problems besides those that any route does."""
    described: dict[int | str, dict[str, Any]] = {}
    for problem in (*problems, *EVERYWHERE):
        status = described.setdefault(problem.status.value, {"description": "", "content": {MEDIA_TYPE: {}}})
        status["description"] = f"{status['description']}; {problem.title}".removeprefix("; ")
        content = status["content"][MEDIA_TYPE]
        content["schema"] = {"$ref": f"{SCHEMAS}/{Problem.__name__}"}
        content.setdefault("examples", {})[problem.code] = {"value": _example(problem)}
    return described


def body(rule: BodyRule, schema: dict[str, Any], description: str) -> dict[str, Any]:
    """The `openapi_extra` of a route that reads its body by `rule`; `schema` is of the body."""
    content = {media_type: {"schema": schema} for media_type in rule.media_types}
    limits = f"{description} At most {rule.size} bytes, within {rule.seconds:g} seconds."
    return {"requestBody": {"required": True, "description": limits, "content": content}}


def reference(model: type[BaseModel]) -> dict[str, Any]:
    return {"$ref": f"{SCHEMAS}/{model.__name__}"}


def install(app: FastAPI) -> None:
    """Has /openapi.json answered with the whole document, made once."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    # FastAPI documents this assignment as its way to extend the document.
    app.openapi = openapi  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in MODELS:
        schema = model.model_json_schema(ref_template=SCHEMAS + "/{model}")
        schemas.update(schema.pop("$defs", {}))
        schemas[model.__name__] = schema
    return document


def _example(problem: type[ProblemError]) -> dict[str, Any]:
    shown = problem.__new__(problem)
    ProblemError.__init__(shown, problem.title + ".")
    return as_object(shown, "/v1/…")
