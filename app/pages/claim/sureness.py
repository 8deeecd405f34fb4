"""How sure: what the study checks of itself, with what was measured, and how the intervals were made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from app.pages import words
from app.pages.claim.facts import Fact
from app.pages.claim.record import ClaimRecord
from claims.evidence import Evidence
from claims.nondeterminism import UNBOUNDED
from claims.registration.model import Comparator, Registration, meets

Size = TypeVar("Size", int, float)
METHODS = {
    "student_t": "Student t",
    "percentile": "percentile bootstrap",
    "bca": "BCa bootstrap",
    "studentised_bootstrap": "studentised bootstrap",
    "jackknife_t": "delete-one jackknife t",
    "wilson": "Wilson",
    "delong": "DeLong",
    "exact": "exact",
}
TRUST = {
    "exploratory": "Neither is the instrument calibrated nor the prediction known to come before its data.",
    "calibrated": "The instrument's version holds a passing scorecard on organisms whose answer is known.",
    "registered": "The prediction is known to come before its data; nothing is decided, as it is neither confirmed nor "
    "refuted.",
    "adjudicated": "Calibrated, registered, and decided: confirmed or refuted alike.",
}
DECIDED = (
    "The prediction is known to come before its data and is decided, but the instrument's version holds no passing "
    "scorecard on organisms whose answer is known."
)


@dataclass(frozen=True)
class Check:
    """A control or a kill criterion. `passed` is None while nothing was measured."""

    name: str
    condition: str
    measured: str
    passed: bool | None
    says: str


def checks(registration: Registration, evidence: Evidence | None) -> list[Check]:
    """Every check that would have voided the study, in the document's order: controls, then kill criteria."""
    controls = [
        _check(f"{name} control", control.metric, control.op, control.value, evidence, fires=False, says="must hold")
        for name, control in (
            ("Positive", registration.controls.positive),
            ("Negative", registration.controls.negative),
        )
        if control
    ]
    kills = [
        _check(f"Kill criterion {kill.id}", kill.metric, kill.op, kill.value, evidence, fires=True, says=kill.reason)
        for kill in registration.kill_criteria
    ]
    return controls + kills


def diagnostics_beyond_checks(registration: Registration, evidence: Evidence) -> dict[str, float]:
    """The diagnostics that no control and no kill criterion shows already."""
    controls = (registration.controls.positive, registration.controls.negative)
    shown = {check.metric for check in (*controls, *registration.kill_criteria) if check}
    return {name: value for name, value in evidence.diagnostics.items() if name not in shown}


def method_facts(record: ClaimRecord) -> list[Fact]:
    """Level, interval, sampling and what is known of noise."""
    registration, analysis = record.registration, record.registration.analysis
    facts = [
        Fact("Interval", f"{METHODS[analysis.interval]} over {analysis.unit}s, equal tails"),
        Fact("Level", words.percent(registration.level), note=_family(registration)),
        Fact("Sample", _sizes(registration), note="fixed before the freeze, no optional stopping"),
    ]
    if record.evidence:
        facts += [Fact("Measured", _measured(record.evidence)), Fact("Non-determinism", _noise(record.evidence))]
    return [*facts, Fact("Trust", record.trust, note=trust_why(record.trust, record.status))]


def trust_why(trust: str, status: str) -> str:
    """What a claim of this trust and status may be leaned on for, in a sentence."""
    return DECIDED if trust == "registered" and status in {"confirmed", "refuted"} else TRUST[trust]


def _check(
    name: str, metric: str, op: Comparator, value: float, evidence: Evidence | None, *, fires: bool, says: str
) -> Check:
    measured = evidence.diagnostics.get(metric) if evidence else None
    # What was not measured cannot be said to have passed: the verdict is void by it.
    passed = meets(measured, op, value) != fires if measured is not None else (False if evidence else None)
    shown = "not measured" if evidence else ""
    return Check(
        name=name,
        condition=f"{metric} {words.COMPARATORS[op]} {words.figure(value)}",
        measured=shown if measured is None else words.measurement(measured, beside=(value,)),
        passed=passed,
        says=says,
    )


def _family(registration: Registration) -> str:
    primaries = len(registration.primaries)
    if registration.analysis.multiplicity == "none" or primaries == 1:
        return "one primary hypothesis"
    return (
        f"Bonferroni over {primaries} primaries: it guards every refutation, and asks more than it must of "
        "“all confirmed”"
    )


def _sizes(registration: Registration) -> str:
    sizes = registration.sampling.model_dump(exclude={"exclusions", "stopping"}, exclude_none=True)
    return ", ".join(f"{words.count(size)} {name.replace('_', ' ')}" for name, size in sizes.items())


def _measured(evidence: Evidence) -> str:
    """By unit, how many the estimates are over: of a grid every component may have its own number."""
    units = sorted({one.unit for one in evidence.estimates.values()})
    return "; ".join(_over(unit, evidence) for unit in units) or "nothing"


def _over(unit: str, evidence: Evidence) -> str:
    found = [one for one in evidence.estimates.values() if one.unit == unit]
    sizes = _range([one.n for one in found], words.count)
    worth = _range([one.n_effective for one in found], lambda size: words.number(size, decimals=1))
    as_many = all(one.n_effective == one.n for one in found)
    return f"{sizes} {unit}s" + ("" if as_many else f" (worth {worth})")


def _range(sizes: Sequence[Size], shown: Callable[[Size], str]) -> str:
    least, most = min(sizes), max(sizes)
    return shown(least) if least == most else f"{shown(least)} to {shown(most)}"


def _noise(evidence: Evidence) -> str:
    """What measuring a share of the cells twice found: docs/nondeterminism.md."""
    figures = evidence.nondeterminism
    if not figures:
        return "not measured in this run"
    cells, alike = int(figures["cells"]), int(figures["cells_identical"])
    twice = f"{words.percent(figures['share'])} of the cells were measured twice, in other batches"
    if alike == cells:
        return f"{twice}: all {words.count(cells)} agree to the last bit; {_moved(evidence)}"
    apart = max(value for name, value in figures.items() if name.startswith("largest_relative_difference."))
    size = f"the others differ by at most {words.number(apart)} of the largest value of their kind"
    return f"{twice}: {words.count(alike)} of {words.count(cells)} agree to the last bit, {size}; {_moved(evidence)}"


def _moved(evidence: Evidence) -> str:
    """How far noise could move a bound: the band that is largest beside the interval that it blurs."""
    bands = {name: evidence.nondeterminism.get(f"band.{name}", 0.0) for name in evidence.estimates}
    if not any(bands.values()):
        return "no bound moves"
    widths = {name: estimate.hi - estimate.lo for name, estimate in evidence.estimates.items()}
    beside = {name: band / widths[name] if widths[name] else inf for name, band in bands.items() if band}
    name = max(beside, key=lambda one: beside[one])
    if bands[name] >= UNBOUNDED:
        return f"measured again, {name} may have no bounds at all"
    share = f"{words.number(beside[name])} of its interval"
    return f"had all been, no bound would move by more than {share} ({name}: {words.number(bands[name])})"
