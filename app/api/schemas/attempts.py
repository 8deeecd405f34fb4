"""How often a thing was tried, by metric, and by whom."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, Time
from app.ledger.attempts import Attempt
from app.ledger.families import MetricFamily


class Outcomes(Answer):
    """How many attempts came to what, at one metric; together they are all of the family."""

    confirmed: int
    refuted: int
    inconclusive: int
    void: int
    withdrawn: int
    overdue: int = Field(description="Frozen, and not opened in time.")
    undecided: int = Field(description="Waiting to be opened in time, or being measured.")


class AttemptsAtMetric(Answer):
    """A family: every claim by anyone on the same weights, data, instrument and metric, this one among them."""

    metric: str = Field(examples=["recovery_gap_constructed"])
    primary: bool = Field(description="Whether this claim has a primary hypothesis on it.")
    number: int = Field(description="Which attempt of the family this is, in the order of filing.", examples=[2])
    of: int = Field(description="How many attempts the family has.", examples=[3])
    outcomes: Outcomes
    secondary: int = Field(description="How many of the attempts have secondary hypotheses alone on this metric.")
    reproductions: int = Field(description="Reproductions and reruns, which are no attempts of their own.")

    @classmethod
    def of_family(cls, found: MetricFamily) -> Self:
        family = {**vars(found.family), "outcomes": Outcomes(**found.family.outcomes)}
        return cls(metric=found.metric, primary=found.primary, **family)


class ListedAttempt(Answer):
    """A claim of the families. `outcomes` are those of its hypotheses, by each metric that it shares."""

    id: ClaimId
    number: int | None = Field(description="Its place in the family; null for a reproduction, and without `metric`.")
    url: str = Field(examples=["/v1/claims/k3v9x2m8q4w7"])
    page: str = Field(examples=["/claims/k3v9x2m8q4w7"])
    title: str
    status: str
    superseded: bool
    registrant: str
    filed: Time
    reproduces: ClaimId | None = Field(description="The attempt whose document it measures once more, if any.")
    outcomes: dict[str, str] = Field(examples=[{"recovery_gap_constructed": "refuted"}])

    @classmethod
    def of_attempt(cls, attempt: Attempt) -> Self:
        given = {name: value for name, value in vars(attempt).items() if name in cls.model_fields}
        return cls(**given, url=f"/v1/claims/{attempt.id}", page=f"/claims/{attempt.id}")


class AttemptsAnswer(Answer):
    """A claim's families by metric, its primaries' first, and every claim in any of them, the first filed first."""

    claim: ClaimId
    numbered: ClaimId = Field(description="The attempt that `number` is of: for a reproduction, its original.")
    instrument: str
    weights: list[str] = Field(description="Every name and hash that is known to lead to the same weights.")
    dataset: str = Field(description="The pairs' SHA-256, or the generator.")
    families: list[AttemptsAtMetric]
    items: list[ListedAttempt]
    next: str | None
