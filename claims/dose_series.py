"""The one design by which rankings are calibrated: which claims belong to it, and what each of them found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isclose, isfinite
from types import MappingProxyType

from claims.evidence import Estimate, Evidence
from claims.instruments.params import completed
from claims.instruments.planted_key_recipe import RECIPE, recipe_of
from claims.instruments.planted_key_recovery import MANIFEST, PARAMS
from claims.registration.model import Registration
from claims.verdict.study import study_voids

INSTRUMENT = MANIFEST.name
DOSES = (0.0, 0.01, 0.1, 1.0)
SIZES: Mapping[str, int] = MappingProxyType({"organisms": 16, "pairs_per_organism": 48})
LEVEL = 0.975  # 95 % over the two recoveries, Bonferroni
_RECIPE = completed(RECIPE, {"min_accuracy": 0})
_PARAMS = completed(PARAMS, {})


@dataclass(frozen=True)
class Interval:
    """An estimate with its bounds, each moved outwards by the band of non-determinism."""

    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Point:
    """What one claim of the series found at its dose. `intervals` is by metric, and holds those that can be used."""

    claim: str
    seq: int
    dose: float
    source_sha256: str
    intervals: Mapping[str, Interval]


def dose_of(registration: Registration) -> float | None:
    """The dose at which this registration measures the series, None when it is no part of it.

    Everything but dose and words is fixed, so that no choice of design can be made with the result in view; kill
    criteria and controls, which could void an unwelcome dose, have no place in it.
    """
    if registration.instrument.name != INSTRUMENT or not _as_designed(registration):
        return None
    recipe = recipe_of(registration)
    dose = float(recipe.pop("dose"))
    rest = {name: value for name, value in _RECIPE.items() if name != "dose"}
    return dose if recipe == rest and dose in DOSES else None


def point_of(claim: str, seq: int, registration: Registration, evidence: Evidence) -> Point | None:
    """What the claim's deciding run, recorded at `seq`, adds to the series; None for a study that is void."""
    dose = dose_of(registration)
    if dose is None or study_voids(registration, evidence):
        return None
    found = {name: _interval(name, estimate, evidence) for name, estimate in evidence.estimates.items()}
    usable = {name: interval for name, interval in found.items() if interval is not None}
    return Point(claim, seq, dose, evidence.provenance.instrument_source_sha256, usable)


def decisive(points: Iterable[Point]) -> tuple[Point, ...]:
    """The series that counts, by dose: the one completed last, or where none is complete the one begun last.

    A series is measured by one source. At each dose the first claim counts and no later one, so that measuring again
    until it passes cannot pass.
    """
    by_source: dict[str, dict[float, Point]] = {}
    for point in sorted(points, key=lambda point: point.seq):
        by_source.setdefault(point.source_sha256, {}).setdefault(point.dose, point)
    found = [tuple(one for _, one in sorted(series.items())) for series in by_source.values()]
    return max(found, key=lambda series: (complete(series), max(point.seq for point in series)), default=())


def complete(series: Iterable[Point]) -> bool:
    return {point.dose for point in series} == set(DOSES)


def _as_designed(registration: Registration) -> bool:
    return (
        registration.instrument.version == MANIFEST.version
        and completed(PARAMS, registration.instrument.params) == _PARAMS
        and registration.sampling.sizes == SIZES
        and isclose(registration.level, LEVEL)
        and not registration.kill_criteria
        and registration.controls.positive is None
        and registration.controls.negative is None
    )


def _interval(name: str, estimate: Estimate, evidence: Evidence) -> Interval | None:
    """None for an interval of no width, at another level, or out of order: no rule may be applied to those."""
    band = evidence.nondeterminism.get(f"band.{name}", 0.0)
    lo, hi = estimate.lo - band, estimate.hi + band
    sound = isfinite(lo) and isfinite(hi) and estimate.lo <= estimate.value <= estimate.hi and estimate.lo < estimate.hi
    return Interval(estimate.value, lo, hi) if sound and isclose(estimate.level, LEVEL) and band >= 0 else None
