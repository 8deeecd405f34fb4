"""What others say of a checkpoint, as the API takes it and answers with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.api.schemas.answers import Answer, Time
from app.api.schemas.links import Given
from app.ledger.cursors import LARGEST


class AnchorOfCheckpoint(Answer):
    """The word of one witness or timestamp authority. `body` is base64 of what it gave, to be checked with its key."""

    kind: Literal["witness", "timestamp"]
    name: str = Field(description="the name in the witness's key, or the authority's host")
    time: Time = Field(description="at which it says that the checkpoint existed")
    received: Time = Field(description="by this service's clock; of those that cover a claim, the first counts")
    body: str = Field(description="base64 of a cosignature line without its end, or of an RFC 3161 response in DER")


class Anchors(Answer):
    """The checkpoint over `size` entries with our signature alone, and everything that anchors it, first come first."""

    size: int
    checkpoint: str
    anchors: list[AnchorOfCheckpoint]


class Cosigning(Given):
    """`line` is a witness's signature line under the checkpoint over `size` entries (C2SP tlog-cosignature)."""

    size: Annotated[int, Field(ge=1, le=LARGEST)]
    line: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
