"""Forecasts of others: what they send to seal and to tell, and what everybody may read."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints

from app.api.schemas.answers import Answer, ClaimId, Sha256, Time
from app.api.schemas.links import Given
from app.ledger.tables import ForecastRow

Hex = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(description="32 bytes as 64 lower-case hex digits")
]


class Sealing(Given):
    """`sealed` is the SHA-256 of a salt, the claim, the forecaster and a probability: docs/forecasts.md."""

    sealed: Hex


class Revealing(Given):
    """The very probability and salt that were sealed."""

    probability: Annotated[float, Field(ge=0, le=1)]
    salt: Hex


class ClaimForecast(Answer):
    """Who sealed a forecast of the claim, and when; what it was is null until it is told."""

    claim: ClaimId
    registrant: str = Field(examples=["bob"])
    sealed: Sha256
    seq: int
    time: Time
    probability: float | None = Field(description="That the claim will be confirmed.", examples=[0.3])
    salt: Sha256 | None
    revealed: Time | None
    revealed_seq: int | None

    @classmethod
    def of(cls, row: ForecastRow) -> Self:
        return cls(**{name: getattr(row, name) for name in cls.model_fields})
