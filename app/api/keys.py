"""Whose a key is: who signs by it wants to know as whom."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from app import errors
from app.api.protocol.access import caller_of
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Answer
from app.ledger.registrants import Caller

router = APIRouter(tags=["keys"], dependencies=[STRICT])


class OwnKey(Answer):
    """Whoever holds the key that came with the request."""

    registrant: str = Field(description="As entries of the log name them.", examples=["bob"])
    scopes: list[str] = Field(examples=[["file"]])


@router.get("/v1/key", summary="Whose key this is", responses=answers(errors.UnauthenticatedError))
def get_key(caller: Annotated[Caller, Depends(caller_of)]) -> OwnKey:
    """The registrant that the key of the Authorization header belongs to, and what it may be used for."""
    return OwnKey(registrant=caller.registrant, scopes=sorted(caller.scopes))
