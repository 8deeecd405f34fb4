from __future__ import annotations

from typing import Literal, Self

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, Sha256
from claims.dose_series import LEVEL, Interval, Point
from claims.scorecards import Scorecard

State = Literal["calibrated", "not_calibrated", "incomplete"]


class RecoveryAnswer(Answer):
    """A mean AUROC over organisms with its interval, each bound moved outwards by the band of non-determinism."""

    value: float
    lo: float
    hi: float

    @classmethod
    def of(cls, interval: Interval) -> Self:
        return cls(**vars(interval))


class PointAnswer(Answer):
    """What one claim of the dose series found."""

    dose: float = Field(description="Share of training pairs that obey the planted rule.", examples=[1.0])
    claim: ClaimId
    recovery: dict[str, RecoveryAnswer] = Field(
        description="By metric, those alone by which the version is calibrated."
    )

    @classmethod
    def of(cls, point: Point, metrics: set[str]) -> Self:
        found = {name: RecoveryAnswer.of(one) for name, one in sorted(point.intervals.items()) if name in metrics}
        return cls(dose=point.dose, claim=point.claim, recovery=found)


class CalibrationAnswer(Answer):
    """One condition of calibration: `metric` rises with dose, and its lower bound at full dose lies above `level`."""

    metric: str = Field(examples=["patching_recovery_auc_constructed"])
    level: float
    params: dict[str, str] = Field(description="The instrument's parameters under which it ranks as was measured.")
    state: State
    why: str


class ScorecardAnswer(Answer):
    """What the dose series on the ledger says of this version: all of `calibrations` must be `calibrated`."""

    state: State
    stale: bool = Field(description="The series was measured by another source than this service runs now.")
    source_sha256: Sha256 | None = Field(description="The source that measured the series; null before any of it.")
    confidence: float = Field(description="The level of every interval.")
    calibrations: list[CalibrationAnswer]
    points: list[PointAnswer]

    @classmethod
    def of(cls, card: Scorecard, running: str) -> Self:
        metrics = {answer.calibration.metric for answer in card.answers}
        return cls(
            state=card.state,
            stale=card.source_sha256 not in {None, running},
            source_sha256=card.source_sha256,
            confidence=LEVEL,
            calibrations=[
                CalibrationAnswer(
                    metric=answer.calibration.metric,
                    level=answer.calibration.level,
                    params=dict(answer.calibration.params),
                    state=answer.state,
                    why=answer.why,
                )
                for answer in card.answers
            ],
            points=[PointAnswer.of(point, metrics) for point in card.points],
        )
