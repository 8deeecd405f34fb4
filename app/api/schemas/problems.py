"""What a refused request is answered with."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from app.api.schemas.answers import Answer


class Place(Answer):
    """One offending place of a refused request."""

    pointer: str = Field(description="JSON pointer into the body (`/3` is line 3 of JSONL), or `/name` of a parameter.")
    code: str
    detail: str
    remedy: str


class Problem(Answer):
    """Every error, as RFC 9457 has it. `type` has a page of its own."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: str = Field(examples=["/problems/invalid_registration"])
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path of the request.")
    remedy: str = Field(description="What to do about it.")
    errors: list[Place]
