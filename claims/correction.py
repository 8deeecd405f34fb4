"""Evidence computed anew from its rows by the instrument's code as it is now, and whether that changes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import isclose
from typing import Any

from claims.evidence import Evidence
from claims.instruments.manifest import Instrument, Row
from claims.nondeterminism import ROWS_SHA256, named, nondeterminism
from claims.registration.model import Registration, meets
from claims.seeds import Seeds

FIGURES = ("estimates", "diagnostics", "not_measured", "counts", "nondeterminism", "controls")
# Two machines add the same floats in another order; a correction is of what differs by more.
RELATIVE, ABSOLUTE = 1e-9, 1e-12

Rows = Callable[[], Iterable[Row]]


def again_sha256(evidence: Evidence) -> str | None:
    """The blob of the rows that were measured a second time; None where none were."""
    found = [name.removeprefix(ROWS_SHA256) for name in evidence.nondeterminism if name.startswith(ROWS_SHA256)]
    return found[0] if found else None


def recompute(  # noqa: PLR0917 - what `estimate` takes, and what it is taken from
    registration: Registration, evidence: Evidence, instrument: Instrument, seeds: Seeds, rows: Rows, again: Rows
) -> Evidence:
    """The evidence with every figure that follows from its rows computed anew; the rest, provenance too, stays.

    `seeds` are those of the run; `rows` and `again` give the rows, and those measured a second time, from their
    beginning at every call. Raises whatever the instrument's `estimate` raises for rows that it cannot read.
    """
    estimated = instrument.estimate(rows(), registration, seeds)
    sha256 = again_sha256(evidence)
    twice: Mapping[str, float] = {}
    if sha256 is not None:
        estimate = partial(instrument.estimate, registration=registration, seeds=seeds)
        twice = named(sha256, nondeterminism(estimated, rows(), again(), estimate))
    body = evidence.model_dump(by_alias=True)
    body["subject"]["dataset"]["n"] = estimated.counts["pairs"]
    controls = controls_of(registration, estimated.diagnostics)
    return Evidence.model_validate({**body, **estimated.model_dump(), "nondeterminism": twice, "controls": controls})


def controls_of(registration: Registration, diagnostics: Mapping[str, float]) -> dict[str, bool]:
    """Whether each control held; one whose metric was not measured did not."""
    controls = {"positive": registration.controls.positive, "negative": registration.controls.negative}
    return {
        name: control.metric in diagnostics and meets(diagnostics[control.metric], control.op, control.value)
        for name, control in controls.items()
        if control is not None
    }


def same_figures(first: Evidence, second: Evidence) -> bool:
    """Whether two computations from the same rows found the same, but for the rounding of sums."""
    one, other = first.model_dump(include=set(FIGURES)), second.model_dump(include=set(FIGURES))
    return _same(one, other)


def _same(one: Any, other: Any) -> bool:  # noqa: ANN401 - JSON values
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(one == other)
