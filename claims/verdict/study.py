"""What voids a whole study, read off its evidence before any hypothesis is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from claims.canonical import canonical_bytes
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument
from claims.instruments.params import completed
from claims.registration.model import (
    Control,
    KillCriterion,
    LocalModel,
    OrganismModel,
    PairsDataset,
    Registration,
    meets,
)
from claims.verdict.voids import Void, VoidReason


def study_voids(
    registration: Registration, evidence: Evidence, instruments: Mapping[str, Instrument] | None = None
) -> tuple[Void, ...]:
    """Every study-level void of this evidence; a refusal is the only one where there is one.

    What a registration leaves to the instrument's defaults is looked up in `instruments`.
    """
    if evidence.refusal is not None:
        return (Void(VoidReason.INSTRUMENT_REFUSED, evidence.refusal.model_dump()),)
    known = catalogue() if instruments is None else instruments
    return (
        *_other_instrument(registration, evidence, known.get(registration.instrument.name)),
        *_other_subject(registration, evidence),
        *_breached_sampling(registration, evidence),
        *_failed_controls(registration, evidence),
        *_fired_criteria(registration, evidence),
    )


def _other_instrument(registration: Registration, evidence: Evidence, instrument: Instrument | None) -> Iterator[Void]:
    chosen = registration.instrument
    defaults = _defaults(registration, evidence, instrument)
    # Evidence may state defaults that the registration left out.
    stated = {name: value for name, value in defaults.items() if name in evidence.params}
    frozen = {"name": chosen.name, "version": chosen.version, "params": {**stated, **chosen.params}}
    measured = {"name": evidence.instrument, "version": evidence.version, "params": evidence.params}
    # Python holds True and 1 for equal, which JSON does not.
    if measured != frozen or canonical_bytes(measured) != canonical_bytes(frozen):
        yield Void(VoidReason.CODE_DRIFT, {"frozen": frozen, "measured": measured})


def _defaults(registration: Registration, evidence: Evidence, instrument: Instrument | None) -> Mapping[str, Any]:
    """The defaults of the registered version; of one that is not known, what the evidence says they were."""
    if instrument is None or instrument.MANIFEST.version != registration.instrument.version:
        return evidence.params
    return completed(instrument.MANIFEST.params, {})


def _other_subject(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    """What is generated in the run has no hash: evidence with one is of something else."""
    model, dataset = registration.subject.model, registration.subject.dataset
    if isinstance(model, LocalModel | OrganismModel):
        weights = model.weights_sha256 if isinstance(model, LocalModel) else None
        yield from _differs(VoidReason.WEIGHTS_DIFFER, weights, evidence.subject.model.weights_sha256)
    sha256 = dataset.sha256 if isinstance(dataset, PairsDataset) else None
    yield from _differs(VoidReason.DATASET_DIFFERS, sha256, evidence.subject.dataset.sha256)


def _differs(reason: VoidReason, frozen: str | None, measured: str | None) -> Iterator[Void]:
    if measured != frozen:
        yield Void(reason, {"frozen": frozen, "measured": measured})


def _breached_sampling(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    for size, frozen in registration.sampling.sizes.items():
        measured = evidence.counts.get(size)
        if measured != frozen:
            yield Void(VoidReason.BREACHED_SAMPLING, {"size": size, "frozen": frozen, "measured": measured})


def _failed_controls(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    controls = registration.controls
    for name, control in (("positive", controls.positive), ("negative", controls.negative)):
        if control is not None and not _holds(control, evidence):
            yield Void(VoidReason.FAILED_CONTROL, {"control": name, **_figures(control, evidence)})


def _holds(control: Control, evidence: Evidence) -> bool:
    measured = _measured(control, evidence)
    return measured is not None and meets(measured, control.op, control.value)


def _measured(condition: Control | KillCriterion, evidence: Evidence) -> float | None:
    """The point estimate that the condition is about; what is not a finite number was not measured."""
    value = evidence.diagnostics.get(condition.metric)
    return value if value is not None and isfinite(value) else None


def _figures(condition: Control | KillCriterion, evidence: Evidence) -> dict[str, Any]:
    return {
        "metric": condition.metric,
        "measured": _measured(condition, evidence),
        "op": condition.op,
        "value": condition.value,
    }


def _fired_criteria(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    """A criterion whose metric was not measured cannot be said not to have fired."""
    for criterion in registration.kill_criteria:
        measured = _measured(criterion, evidence)
        if measured is None or meets(measured, criterion.op, criterion.value):
            figures = {"criterion": criterion.id, "reason": criterion.reason, **_figures(criterion, evidence)}
            yield Void(VoidReason.KILL_CRITERION, figures)
