"""Query strings: what an address does not take is refused, never ignored."""

from __future__ import annotations

import unicodedata
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import Depends, Request

from app.errors import BadRequestError, InvalidQueryError
from claims.flaws import Flaw, pointer


def strict_query(request: Request) -> None:
    """Refuses an unknown parameter, one given twice that stands once, control characters, and what is not UTF-8.

    What an address takes is what its OpenAPI description says, so that the two cannot differ.
    """
    _check_utf8(request.scope["query_string"])
    taken = {parameter["name"]: parameter["schema"].get("type") == "array" for parameter in declared(request)}
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


def declared(request: Request) -> list[dict[str, Any]]:
    """The query parameters of the request's route, as OpenAPI describes them."""
    path, method = request.scope["route"].path_format, request.method.lower()
    parameters = request.app.openapi()["paths"][path][method].get("parameters", [])
    return [parameter for parameter in parameters if parameter["in"] == "query"]
