"""The claim measured again: what comparing each reproduction and rerun with it found, figure by figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.pages import words
from app.pages.claim.record import Comparison, Named

NONE_YET = "No independent reproduction recorded."
DIGITS = 8  # of a machine's name, enough to tell two apart


@dataclass(frozen=True)
class Figure:
    """A metric in both; `exact` has every digit. `says` is what its difference speaks for."""

    metric: str
    original: str
    again: str
    difference: str
    tolerance: str
    exact: str
    says: str
    agrees: bool


@dataclass(frozen=True)
class Compared:
    """A comparison as the page tells it."""

    again: Named
    registrant: str
    agrees: bool
    why: str
    time: datetime
    seq: int
    current: bool
    machines: str
    figures: Sequence[Figure]


@dataclass(frozen=True)
class MeasuredAgain:
    """Independent reproductions apart from reruns; `says` sums the first up, or says that there are none."""

    says: str
    independent: Sequence[Compared]
    reruns: Sequence[Compared]


def measured_again(found: Sequence[Comparison]) -> MeasuredAgain:
    independent = [compared(one) for one in found if one.found.kind == "reproduction"]
    reruns = [compared(one) for one in found if one.found.kind != "reproduction"]
    return MeasuredAgain(_summed_up(independent), independent, reruns)


def compared(one: Comparison) -> Compared:
    found = one.found
    return Compared(
        again=one.again,
        registrant=found.registrant,
        agrees=found.agrees,
        why=found.why,
        time=found.time,
        seq=found.seq,
        current=found.current,
        machines=f"original on {_machines(one.original_machines)}, this one on {_machines(one.machines)}",
        figures=[_figure(figures) for figures in found.compared],
    )


def _summed_up(independent: Sequence[Compared]) -> str:
    if not independent:
        return NONE_YET
    times = {1: "Once", 2: "Twice"}.get(len(independent), f"{len(independent)} times")
    agree = sum(one.agrees for one in independent)
    differ = len(independent) - agree
    if not differ:
        how = "it agrees" if agree == 1 else "all agree"
    elif not agree:
        how = "it disagrees" if differ == 1 else "all disagree"
    else:
        how = f"{agree} {'agrees' if agree == 1 else 'agree'}, {differ} {'disagrees' if differ == 1 else 'disagree'}"
    return f"{times} by another registrant on other machines: {how}."


def _machines(names: Sequence[str]) -> str:
    return ", ".join(name[:DIGITS] for name in names) or "an unknown machine"


def _figure(figures: Mapping[str, Any]) -> Figure:
    original, again = figures["original"], figures["reproduction"]
    difference, tolerance = figures["difference"], figures["tolerance"]
    beside = () if tolerance is None else (tolerance,)
    agrees = tolerance is None or (difference is not None and difference <= tolerance)
    return Figure(
        metric=figures["metric"],
        original=_shown(original),
        again=_shown(again),
        difference=words.NOTHING if difference is None else words.measurement(difference, beside=beside),
        tolerance=words.NOTHING if tolerance is None else words.figure(tolerance),
        exact=f"{original!r}, then {again!r}",
        says=_says(difference, tolerance, agrees=agrees),
        agrees=agrees,
    )


def _shown(value: float | None) -> str:
    return "not measured" if value is None else words.measurement(value)


def _says(difference: float | None, tolerance: float | None, *, agrees: bool) -> str:
    if tolerance is None:
        return "by outcome alone"
    if difference is None:
        return "nothing to compare"
    return "within" if agrees else "beyond"
