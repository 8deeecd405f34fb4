"""What voids a whole study, read off its evidence before any hypothesis is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from claims.evidence import Evidence
from claims.registration.model import Control, KillCriterion, LocalModel, PairsDataset, Registration, meets
from claims.verdict.voids import Void, VoidReason


def study_voids(registration: Registration, evidence: Evidence) -> tuple[Void, ...]:
    """Every study-level void of this evidence; a refusal is the only one where there is one."""
    if evidence.refusal is not None:
        return (Void(VoidReason.INSTRUMENT_REFUSED, evidence.refusal.model_dump()),)
    return (
        *_other_instrument(registration, evidence),
        *_other_subject(registration, evidence),
        *_breached_sampling(registration, evidence),
        *_failed_controls(registration, evidence),
        *_fired_criteria(registration, evidence),
    )


def _other_instrument(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    chosen = registration.instrument
    frozen = {"name": chosen.name, "version": chosen.version, "params": chosen.params}
    # Evidence may state defaults that the registration left out.
    params = {name: value for name, value in evidence.params.items() if name in chosen.params}
    measured = {"name": evidence.instrument, "version": evidence.version, "params": params}
    if measured != frozen:
        yield Void(VoidReason.CODE_DRIFT, {"frozen": frozen, "measured": measured})


def _other_subject(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    model, dataset = registration.subject.model, registration.subject.dataset
    if isinstance(model, LocalModel) and evidence.subject.model.weights_sha256 != model.weights_sha256:
        figures = {"frozen": model.weights_sha256, "measured": evidence.subject.model.weights_sha256}
        yield Void(VoidReason.WEIGHTS_DIFFER, figures)
    if isinstance(dataset, PairsDataset) and evidence.subject.dataset.sha256 != dataset.sha256:
        figures = {"frozen": dataset.sha256, "measured": evidence.subject.dataset.sha256}
        yield Void(VoidReason.DATASET_DIFFERS, figures)


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
    measured = evidence.diagnostics.get(control.metric)
    return measured is not None and meets(measured, control.op, control.value)


def _figures(condition: Control | KillCriterion, evidence: Evidence) -> dict[str, Any]:
    return {
        "metric": condition.metric,
        "measured": evidence.diagnostics.get(condition.metric),
        "op": condition.op,
        "value": condition.value,
    }


def _fired_criteria(registration: Registration, evidence: Evidence) -> Iterator[Void]:
    """A criterion whose metric was not measured cannot be said not to have fired."""
    for criterion in registration.kill_criteria:
        measured = evidence.diagnostics.get(criterion.metric)
        if measured is None or meets(measured, criterion.op, criterion.value):
            figures = {"criterion": criterion.id, "reason": criterion.reason, **_figures(criterion, evidence)}
            yield Void(VoidReason.KILL_CRITERION, figures)
