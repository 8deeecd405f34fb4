"""Answers that a reader may already have: entity tags, and 304 for one that has not changed (RFC 9110, section 13)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel

# A reader asks each time; what has not changed costs no body.
REVALIDATE = {"Cache-Control": "no-cache"}


def json_answer(request: Request, answer: BaseModel) -> Response:
    """The answer as JSON, tagged by its own bytes."""
    body = answer.model_dump_json().encode()
    return tagged(request, body, hashlib.sha256(body).hexdigest(), "application/json")


def tagged(
    request: Request, body: bytes, tag: str, media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    """`body`, or 304 where the request's If-None-Match names `tag`."""
    kept = {**REVALIDATE, "ETag": f'"{tag}"', **(headers or {})}
    if unchanged(request, tag):
        return Response(status_code=304, headers=kept)
    return Response(body, headers=kept, media_type=media_type)


def unchanged(request: Request, tag: str) -> bool:
    """Whether If-None-Match names the tag, strong or weak, or anything."""
    asked = ",".join(request.headers.getlist("if-none-match"))
    return any(name.strip().removeprefix("W/") in {f'"{tag}"', "*"} for name in asked.split(","))
