from __future__ import annotations

from typing import Self

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, RunId, Time
from app.ledger.records import Progress


class Run(Answer):
    """One execution of an instrument for a claim, with how far it is."""

    id: RunId
    url: str = Field(examples=["/v1/runs/k3v9x2m8q4w7-1"])
    claim: ClaimId
    number: int
    status: str = Field(description="queued, running, ended, voided or cancelled", examples=["running"])
    queue: str | None = Field(
        description="cpu or gpu; null for a run that had ended before the ledger was rebuilt or imported."
    )
    not_before: Time | None = Field(
        description="It is opened no earlier, so that others can forecast its claim; null where it need not wait, "
        "and for a run that had ended before the ledger was rebuilt or imported."
    )
    queued: Time
    opened: Time | None
    ended: Time | None
    shards_done: int
    shards_total: int
    rows_done: int
    rows_total: int
    attempts: int = Field(description="How often its most tried part was begun.")
    workers: list[str]
    rate: float | None = Field(description="Rows a second; null until there is something to go by.")
    eta_seconds: float | None = Field(description="What the rest takes at that rate; null where there is none.")
    failure: str | None = Field(description="What went wrong last, where something did.")

    @classmethod
    def of(cls, run: Progress) -> Self:
        return cls(**{**vars(run), "workers": list(run.workers)}, url=f"/v1/runs/{run.id}")
