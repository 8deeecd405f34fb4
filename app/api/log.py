"""The log's key."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT

router = APIRouter(tags=["log"], dependencies=[STRICT])


@router.get("/v1/log/key", summary="The log's verifier key", response_class=PlainTextResponse, responses=answers())
def get_key(request: Request) -> PlainTextResponse:
    """The Ed25519 key that receipts are signed with, in C2SP vkey form. Pin it: a later answer proves nothing."""
    return PlainTextResponse(f"{request.app.state.signing.vkey}\n")
