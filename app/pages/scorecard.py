"""An instrument's scorecard, put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.pages import words
from app.pages.claim.facts import Fact, digest
from claims.dose_series import LEVEL, Point
from claims.scorecards import Answer, Scorecard

STATES = {"calibrated": "Calibrated", "not_calibrated": "Not calibrated", "incomplete": "Not measured yet"}
HOLDS = {"calibrated": "it does", "not_calibrated": "it does not", "incomplete": "open"}
SAYS = {
    "calibrated": "Claims measured with this version count as calibrated where it ranks as it did in the series.",
    "not_calibrated": "No claim measured with this version counts as calibrated.",
    "incomplete": "No claim measured with this version counts as calibrated while the dose series is not whole.",
}
STALE = (
    "The code has changed since it measured the series. The version stays as the log has it; whether the code that "
    "runs now comes out alike is known once the series is filed again."
)


@dataclass(frozen=True)
class PointLine:
    dose: str
    recovery: str
    claim: str


@dataclass(frozen=True)
class CalibrationView:
    """One condition: what must hold of which metric, whether it does and why not, and what was found at each dose."""

    metric: str
    level: str
    holds: str
    why_not: str
    params: str
    points: Sequence[PointLine]


@dataclass(frozen=True)
class ScorecardView:
    """`stale` says so where the series was measured by other source than runs now, and is empty otherwise."""

    verdict: str
    says: str
    stale: str
    facts: Sequence[Fact]
    calibrations: Sequence[CalibrationView]


def scorecard_view(card: Scorecard, running: str) -> ScorecardView:
    """The card as a page shows it; `running` is the hash of the source that would measure the series now."""
    return ScorecardView(
        verdict=STATES[card.state],
        says=SAYS[card.state],
        stale=STALE if card.source_sha256 not in {None, running} else "",
        facts=_facts(card.source_sha256, running),
        calibrations=[_calibration(answer, card.points) for answer in card.answers],
    )


def _facts(source: str | None, running: str) -> list[Fact]:
    if source is None:
        return []
    return [
        digest("Source of the series", source, "runs now" if source == running else "another runs now"),
        Fact("Intervals", f"{words.percent(LEVEL)}, Student t over organisms"),
    ]


def _calibration(answer: Answer, points: Sequence[Point]) -> CalibrationView:
    calibration = answer.calibration
    return CalibrationView(
        metric=calibration.metric,
        level=words.figure(calibration.level),
        holds=HOLDS[answer.state],
        why_not="" if answer.state == "calibrated" else answer.why,
        params=", ".join(f"{name} {value}" for name, value in calibration.params.items()),
        points=[PointLine(f"{words.percent(one.dose)} of pairs", _recovery(one, answer), one.claim) for one in points],
    )


def _recovery(point: Point, answer: Answer) -> str:
    found, beside = point.intervals.get(answer.calibration.metric), (answer.calibration.level,)
    if found is None:
        return "no usable interval"
    return f"{words.number(found.value, beside=beside)} {words.interval(found.lo, found.hi, beside=beside)}"
