from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.api.schemas.answers import Answer, ClaimId, Time
from claims.registration.model import ClaimId as ExistingClaim

Reason = Annotated[
    str,
    StringConstraints(min_length=1, max_length=2000, pattern=r"\S"),
    Field(description="why, in 1 to 2,000 characters that are not all blank"),
]


class Given(BaseModel):
    """Every body that is not a registration: unknown keys refused, nothing coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Superseding(Given):
    """`by` replaces the claim; both stay on the ledger."""

    by: ExistingClaim
    reason: Reason


class Withdrawing(Given):
    reason: Reason


class Link(Answer):
    """A typed link from one claim to another, with who drew it and why."""

    type: str
    source: ClaimId
    target: ClaimId
    reason: str
    actor: str
    time: Time
