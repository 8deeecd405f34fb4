"""Whether an instrument's version is calibrated: read off the dose series on the ledger, never set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from claims.dose_series import DOSES, Interval, Point, complete, decisive
from claims.instruments.manifest import Calibration, Instrument, Manifest
from claims.instruments.params import completed

State = Literal["calibrated", "not_calibrated", "incomplete"]


@dataclass(frozen=True)
class Answer:
    """Whether the series clears one calibration, and in words why, or why not."""

    calibration: Calibration
    state: State
    why: str


@dataclass(frozen=True)
class Scorecard:
    """What the dose series says of one instrument's version: an answer for each of its calibrations.

    `source_sha256` is that of the planted_key_recovery which measured every point; None while there is no point.
    """

    instrument: str
    version: str
    points: tuple[Point, ...]
    answers: tuple[Answer, ...]

    @property
    def source_sha256(self) -> str | None:
        return self.points[0].source_sha256 if self.points else None

    @property
    def state(self) -> State:
        states = {answer.state for answer in self.answers}
        return next(state for state in ("incomplete", "not_calibrated", "calibrated") if state in states)


def scorecard_of(manifest: Manifest, points: Iterable[Point]) -> Scorecard | None:
    """The scorecard of this version, given every point on the ledger; None for one that states no calibration."""
    if not manifest.calibrations:
        return None
    series = decisive(points)
    answers = tuple(_answer(calibration, series) for calibration in manifest.calibrations)
    return Scorecard(manifest.name, manifest.version, series, answers)


def is_calibrated(chosen: Mapping[str, Any], points: Iterable[Point], instruments: Mapping[str, Instrument]) -> bool:
    """Whether the instrument that a registration chose (its name, version and params) is calibrated.

    Parameters under which it ranks otherwise than was measured are not, nor is a version other than the manifest's.
    """
    instrument = instruments.get(chosen["name"])
    if instrument is None or instrument.MANIFEST.version != chosen["version"]:
        return False
    manifest = instrument.MANIFEST
    params = completed(manifest.params, chosen.get("params", {}))
    if not all(calibration.covers(params) for calibration in manifest.calibrations):
        return False
    card = scorecard_of(manifest, points)
    return card is not None and card.state == "calibrated"


def _answer(calibration: Calibration, series: tuple[Point, ...]) -> Answer:
    if not complete(series):
        missing = [dose for dose in DOSES if dose not in {point.dose for point in series}]
        return Answer(calibration, "incomplete", f"not measured yet at dose {', '.join(f'{one:g}' for one in missing)}")
    found = {point.dose: point.intervals.get(calibration.metric) for point in series}
    measured = {dose: interval for dose, interval in found.items() if interval is not None}
    flaw = _flaw(calibration, measured)
    if flaw is not None:
        return Answer(calibration, "not_calibrated", flaw)
    return Answer(calibration, "calibrated", f"it rises with dose, and at full dose clears {calibration.level:g}")


def _flaw(calibration: Calibration, measured: Mapping[float, Interval]) -> str | None:
    """The first condition that does not hold. A fall counts when the intervals of two neighbouring doses part."""
    unusable = [dose for dose in DOSES if dose not in measured]
    if unusable:
        return f"no usable interval at dose {unusable[0]:g}"
    lowest, full = measured[DOSES[0]], measured[DOSES[-1]]
    if not full.lo > calibration.level:
        return f"at full dose its lower bound is {full.lo:.3f}, not above {calibration.level:g}"
    for less, more in pairwise(DOSES):
        if measured[more].hi < measured[less].lo:
            return f"it falls from dose {less:g} to dose {more:g}"
    if not full.lo > lowest.hi:
        return f"its lower bound at full dose is not above its upper bound at dose {DOSES[0]:g}, {lowest.hi:.3f}"
    return None
