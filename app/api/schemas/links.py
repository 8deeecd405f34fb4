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


RunName = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]{12,20}-[0-9]{1,9}$"),
    Field(description="the id of a run, such as k3v9x2m8q4w7-1"),
]


class Given(BaseModel):
    """Every body that is not a registration: unknown keys refused, nothing coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Superseding(Given):
    """`by` replaces the claim; both stay on the ledger."""

    by: ExistingClaim
    reason: Reason


class Contradicting(Given):
    """`by`, a claim of the caller's own, speaks against the claim; both stand as they are."""

    by: ExistingClaim
    reason: Reason


class Correcting(Given):
    """`run` is the one that decided the claim, `cause` what was wrong; the ledger computes the figures itself."""

    run: RunName
    cause: Reason
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
