"""Estimates, intervals and all else that follows from rows, recomputed from the rows of the bundle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isclose
from typing import Any

from claims.correction import ABSOLUTE, RELATIVE, again_sha256, controls_of
from claims.evidence import Estimated, Evidence
from claims.nondeterminism import named, nondeterminism
from claims.rows import decode_chunks
from claims.verifying.case import Case
from claims.verifying.lines import CannotBeCheckedError, require

_TOLERANCE = f"tolerance {RELATIVE:g} of the value"
_BESIDE = ("level", "method", "unit", "n", "n_effective")


def check_estimates(case: Case) -> str:
    """The same metrics, their point estimates, methods, units and sizes."""
    for run, stated, found in _runs(case):
        here, there = set(found.estimates), set(stated.estimates)
        require(here == there, f"{run}: only one of rows and evidence has an estimate of {_list(here ^ there)}")
    compared = list(_compared(case, ("value",)))
    for run, stated, found in _runs(case):
        for metric, estimate in found.estimates.items():
            _require_same(
                f"{run}: {metric}", estimate.model_dump(include=set(_BESIDE)), stated.estimates[metric].model_dump()
            )
    return _in_words(compared)


def check_intervals(case: Case) -> str:
    """Both bounds of every interval."""
    return _in_words(list(_compared(case, ("lo", "hi"))))


def check_diagnostics(case: Case) -> str:
    """Diagnostics, controls, counts, and what was not measured."""
    for run, stated, found in _runs(case):
        controls = controls_of(case.registration, found.diagnostics)
        here = {**found.model_dump(exclude={"estimates"}), "controls": controls}
        for part, values in here.items():
            _require_same(f"{run}: {part}", values, getattr(stated, part), whole=True)
    return f"diagnostics, controls, counts and what was not measured follow from the rows, {_TOLERANCE}"


def check_nondeterminism(case: Case) -> str:
    """How far the cells that were measured again differ, and how far bounds could move by it."""
    told = [_nondeterminism(case, run, stated, found) for run, stated, found in _runs(case)]
    return f"{', '.join(told)}, {_TOLERANCE}"


def _nondeterminism(case: Case, run: str, stated: Evidence, first: Estimated) -> str:
    if not stated.nondeterminism:
        raise CannotBeCheckedError("no cell was measured twice, so no band is known")
    if run not in case.parts.again:
        raise CannotBeCheckedError("the rows that were measured again are not in the bundle: bands are taken as stated")
    rows, again = decode_chunks(case.row_chunks(run)), decode_chunks(case.parts.again[run]())
    estimate = partial(case.instrument_of(run).estimate, registration=case.registration, seeds=case.seeds_of(run))
    found = named(str(again_sha256(stated)), nondeterminism(first, rows, again, estimate))
    _require_same(f"{run}: non-determinism", found, stated.nondeterminism, whole=True)
    bands = sum(name.startswith("band.") for name in found)
    return f"{bands} bands recomputed from {found['cells']:g} cells measured again"


def _runs(case: Case) -> Iterator[tuple[str, Evidence, Estimated]]:
    if not case.runs:
        raise CannotBeCheckedError("no run has evidence yet")
    for run in case.runs:
        yield run, case.standing_evidence(run), case.recomputed[run]


def _compared(case: Case, fields: Sequence[str]) -> Iterator[float]:
    """The differences of these fields of every estimate in both; raises for the first that is too large."""
    for run, stated, found in _runs(case):
        for metric in sorted(stated.estimates.keys() & found.estimates.keys()):
            for field in fields:
                here, there = getattr(found.estimates[metric], field), getattr(stated.estimates[metric], field)
                require(
                    _same(here, there), f"{run}: {metric} {field} is {here!r} by the rows, and {there!r} was stated"
                )
                yield abs(here - there)


def _require_same(what: str, here: Mapping[str, Any], there: Mapping[str, Any], *, whole: bool = False) -> None:
    names = {*here, *there} if whole else set(here)
    wrong = sorted(name for name in names if not _same(here.get(name), there.get(name)))
    require(
        not wrong,
        f"{what}: "
        + "; ".join(f"{name} is {here.get(name)!r} by the rows, and {there.get(name)!r} was stated" for name in wrong),
    )


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return one == other


def _in_words(differences: Sequence[float]) -> str:
    largest = max(differences, default=0.0)
    return f"{len(differences)} recomputed from the rows, largest difference {largest:.3g}, {_TOLERANCE}"


def _list(names: set[str]) -> str:
    return ", ".join(sorted(names))
