"""The ledger in numbers, and what stated probabilities came to."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from app.api.schemas.answers import Answer
from app.ledger.calibration import Calibrated, Unstated
from app.ledger.track_records import TrackRecord
from claims import calibration


class Share(Answer):
    """How many of `n` decided claims were confirmed; all else is null where there are none."""

    n: int
    confirmed: int
    share: float | None
    lo: float | None = Field(description="Wilson's interval at 95 %.")
    hi: float | None

    @classmethod
    def of(cls, found: calibration.Share) -> Self:
        return cls(**vars(found))


class Bin(Answer):
    """The decided claims whose stated probability is in [low, high), the last bin with its upper end."""

    low: float
    high: float
    stated: float | None = Field(description="The mean probability stated in it; null where there is none.")
    of: Share

    @classmethod
    def of_bin(cls, found: calibration.Bin) -> Self:
        return cls(low=found.low, high=found.high, stated=found.stated, of=Share.of(found.of))


class Calibration(Answer):
    """Stated probabilities held to outcomes: confirmed is 1, refuted and inconclusive are 0."""

    decided: Share
    brier: float | None = Field(description="Mean squared difference of probability and outcome, 0 is best.")
    reference: float | None = Field(description="The same for whoever always says the base rate of these claims.")
    bins: list[Bin]
    void: int
    withdrawn: int
    undecided: int = Field(description="Waiting to be opened, or being measured.")

    @classmethod
    def of(cls, found: calibration.Calibration) -> Self:
        held = {"decided": Share.of(found.decided), "bins": [Bin.of_bin(one) for one in found.bins]}
        return cls(**{**vars(found), **held})


class NoneStated(Answer):
    """The claims that state no probability."""

    decided: Share
    void: int
    withdrawn: int
    undecided: int

    @classmethod
    def of(cls, found: Unstated) -> Self:
        return cls(**{**vars(found), "decided": Share.of(found.decided)})


class ForecastStats(Answer):
    """What forecasts of others' claims came to; `sealed` are `revealed`, `hidden`, `waiting` and `withdrawn`."""

    registrant: str | None = Field(description="Whose forecasts these are; null for everybody's.")
    sealed: int
    revealed: int = Field(description="Told since.")
    hidden: int = Field(description="Of judged claims, never told: nobody knows how they would have come out.")
    waiting: int = Field(description="Of claims that are not judged yet, and not told.")
    withdrawn: int = Field(description="Of claims that were withdrawn, so that they are never told.")
    post_hoc: int = Field(description="Told, of `post_hoc` claims: nothing was forecast, and they are in no score.")
    calibration: Calibration = Field(description="Of all others that were told.")

    @classmethod
    def of(cls, found: TrackRecord, registrant: str | None) -> Self:
        return cls(**{**vars(found), "calibration": Calibration.of(found.calibration)}, registrant=registrant)


class CalibrationAnswer(Answer):
    """Every claim once, but for `forecasts`: those are of others' claims. See docs/calibration.md."""

    registrant: str | None = Field(description="Whose claims these are; null for the whole ledger.")
    stated: Calibration = Field(description="The probabilities of predictions that came before their data.")
    post_hoc: Calibration = Field(description="The same of those whose data, or evidence on it, was known before.")
    unstated: NoneStated
    amended: int = Field(description="Replaced by an amendment before data was known: what that says counts instead.")
    reproductions: int = Field(description="They repeat a document, with its probability.")
    forecasts: ForecastStats

    @classmethod
    def of(cls, found: Calibrated, made: TrackRecord, registrant: str | None) -> Self:
        return cls(
            registrant=registrant,
            stated=Calibration.of(found.stated),
            post_hoc=Calibration.of(found.post_hoc),
            unstated=NoneStated.of(found.unstated),
            amended=found.amended,
            reproductions=found.reproductions,
            forecasts=ForecastStats.of(made, registrant),
        )


class ByStatus(Answer):
    """Claims by what became of them."""

    registered: int
    running: int
    confirmed: int
    refuted: int
    inconclusive: int
    void: int
    withdrawn: int


class Stats(Answer):
    """The ledger in numbers. Imported records are no claims, and in none of the other counts."""

    claims: int
    by_status: ByStatus
    overdue: int = Field(description="Of the registered ones, those that have waited too long to be opened.")
    superseded: int
    contested: int
    evidence: int
    imports: int
    entries: int
