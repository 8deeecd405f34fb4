"""What every answer of the API is made of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema

from claims.entries import format_time

Item = TypeVar("Item")
Time = Annotated[
    datetime,
    PlainSerializer(format_time, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-11-30T12:00:00.000000Z"]}),
]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", examples=["0f" * 32])]
ClaimId = Annotated[str, Field(examples=["k3v9x2m8q4w7"])]
RunId = Annotated[str, Field(examples=["k3v9x2m8q4w7-1"])]


class Answer(BaseModel):
    """Every object that the API answers with."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Page(Answer, Generic[Item]):
    """One page of a list. `next` is the cursor of the page after it, null on the last one."""

    items: list[Item]
    next: str | None


class Commit(Answer):
    """The code that measured: its commit, and whether the tree held anything beyond it."""

    commit: str
    dirty: str = Field(description="clean, dirty or unknown", examples=["dirty"])
    label: str = Field(description="The commit with +dirty or +unknown where it is so.", examples=["3f2a…+dirty"])
