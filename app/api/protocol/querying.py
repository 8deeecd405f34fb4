"""Query strings: what an address does not take is refused, never ignored."""

from __future__ import annotations

import unicodedata
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import Depends, FastAPI, Request

from app.errors import BadRequestError, InvalidQueryError
from claims.flaws import Flaw, pointer


def strict_query(request: Request) -> None:
    """Refuses an unknown parameter, one given twice that stands once, control characters, and what is not UTF-8.

    What an address takes is what its OpenAPI description says, so that the two cannot differ.
    """
    _check_utf8(request.scope["query_string"])
    taken = _parameters(request.app, request.scope["route"].path_format, request.method.lower())
    seen: set[str] = set()
    flaws: dict[str, Flaw] = {}
    for name, value in request.query_params.multi_items():
        flaw = _flaw(name, value, taken, seen)
        seen.add(name)
        if flaw:
            flaws.setdefault(name, flaw)
    if flaws:
        first, *_ = told = list(flaws.values())
        raise InvalidQueryError(first.detail, flaws=told)


STRICT = Depends(strict_query)


def _flaw(name: str, value: str, taken: dict[str, bool], seen: set[str]) -> Flaw | None:
    if name not in taken:
        known = ", ".join(sorted(taken)) or "none"
        detail = f"There is no parameter {name!r} here."
        return Flaw(pointer(name), "unknown_parameter", detail, f"This address takes: {known}.")
    if name in seen and not taken[name]:
        detail = f"The parameter {name!r} stands twice."
        return Flaw(pointer(name), "repeated_parameter", detail, "Give it once.")
    if any(unicodedata.category(character) == "Cc" for character in value):
        detail = f"The parameter {name!r} holds a control character."
        return Flaw(pointer(name), "control_character", detail, "Leave control characters out.")
    return None


def _check_utf8(query: bytes) -> None:
    try:
        unquote_to_bytes(query).decode("utf-8")
    except UnicodeDecodeError:
        raise BadRequestError("The query string is not UTF-8 once its percent-escapes are undone.") from None


def _parameters(app: FastAPI, path: str, method: str) -> dict[str, bool]:
    """The query parameters of a route, each with whether it may repeat."""
    declared: list[dict[str, Any]] = app.openapi()["paths"][path][method].get("parameters", [])
    return {
        parameter["name"]: parameter["schema"].get("type") == "array"
        for parameter in declared
        if parameter["in"] == "query"
    }
