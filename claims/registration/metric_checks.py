"""Whether the instrument produces the metrics named, each of the right sort, and whether a prediction can fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from claims import tiny
from claims.flaws import Flaw, pointer
from claims.instruments.manifest import COMPONENTS, Manifest, Metric
from claims.instruments.params import completed
from claims.registration.model import Comparator, Hypothesis, PairsDataset, Registration, TinyModel, meets
from claims.registration.vacuity import points, reachable, reversed_band


@dataclass(frozen=True)
class _Condition:
    """A kill criterion or a control, and where it stands."""

    path: tuple[str | int, ...]
    metric: str
    op: Comparator
    value: float


def flaws_of_metrics(registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    for index, hypothesis in enumerate(registration.hypotheses):
        yield from _hypothesis(hypothesis, index, registration, manifest)
    for condition in _conditions(registration):
        yield from _condition(condition, registration, manifest)
    for part in ("reproduction_tolerance", "assumptions"):
        for name in getattr(registration, part):
            yield from _named(name, (part, name), registration, manifest)


def _hypothesis(hypothesis: Hypothesis, index: int, registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    path = ("hypotheses", index, "metric")
    metric = manifest.metric(hypothesis.metric)
    absent = list(_named(hypothesis.metric, path, registration, manifest))
    if metric is None or absent:
        yield from absent
        return
    if metric.diagnostic:
        remedy = f"Use one of {_names(manifest, diagnostic=False)}."
        detail = f"{hypothesis.metric} is diagnostic: it may void a study, not decide it"
        yield Flaw(pointer(*path), "diagnostic_metric", detail, remedy)
    if registration.analysis.interval == "exact" and not metric.exact:
        detail = f"{hypothesis.metric} is estimated, not computed exactly"
        yield Flaw(pointer(*path), "not_exact", detail, "Use an interval that the instrument offers for it.")
    if not reversed_band(hypothesis.predict):
        yield from _vacuous(hypothesis, index, metric.within(registration))


def _vacuous(hypothesis: Hypothesis, index: int, metric: Metric) -> Iterator[Flaw]:
    possible = reachable(hypothesis.predict, metric)
    for word, verb in (("confirmed", "confirm"), ("refuted", "refute")):
        if word not in possible:
            detail = f"no interval within {_range(metric)}, the range of {hypothesis.metric}, could {verb} this"
            remedy = f"Choose a prediction that {hypothesis.metric} can both meet and miss."
            yield Flaw(pointer("hypotheses", index, "predict"), "vacuous", detail, remedy)


def _conditions(registration: Registration) -> Iterator[_Condition]:
    for index, criterion in enumerate(registration.kill_criteria):
        yield _Condition(("kill_criteria", index), criterion.metric, criterion.op, criterion.value)
    controls = registration.controls
    for name, control in (("positive", controls.positive), ("negative", controls.negative)):
        if control is not None:
            yield _Condition(("controls", name), control.metric, control.op, control.value)


def _condition(condition: _Condition, registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    path = (*condition.path, "metric")
    metric = manifest.metric(condition.metric)
    absent = list(_named(condition.metric, path, registration, manifest))
    if metric is None or absent:
        yield from absent
        return
    if not metric.diagnostic:
        detail = f"{condition.metric} is what hypotheses are about: to void a study by it would be to pick its outcome"
        remedy = f"Use one of {_names(manifest, diagnostic=True)}."
        yield Flaw(pointer(*path), "not_diagnostic", detail, remedy)
    metric = metric.within(registration)
    outcomes = {meets(point, condition.op, condition.value) for point in points((condition.value,), metric)}
    if len(outcomes) == 1:
        word = "always" if outcomes == {True} else "never"
        detail = f"within {_range(metric)}, the range of {condition.metric}, this is {word} so"
        yield Flaw(
            pointer(*condition.path, "value"), "vacuous", detail, "Choose a value that it can lie on both sides of."
        )


def _named(name: str, path: tuple[str | int, ...], registration: Registration, manifest: Manifest) -> Iterator[Flaw]:
    metric = manifest.metric(name)
    if metric is None:
        known = ", ".join(metric.name for metric in manifest.metrics)
        remedy = f"Use one of {known}." + (f" A component is {COMPONENTS}." if "<component>" in known else "")
        yield Flaw(pointer(*path), "unknown_metric", f"{manifest.name} does not produce {name}", remedy)
    elif _unknown_dimension(name, metric, registration):
        remedy = f"Use a dimension of the dataset: {', '.join(_dimensions(registration)) or 'it has none'}."
        yield Flaw(
            pointer(*path), "unknown_dimension", f"the dataset has no dimension {name.partition('.')[2]}", remedy
        )
    else:
        params = completed(manifest.params, registration.instrument.params)
        parameter = manifest.unmeasured_under(params, name)
        if parameter is not None:
            detail = f"with {parameter} {params[parameter]}, {manifest.name} does not measure {name}"
            values = manifest.params["properties"][parameter]["enum"]
            helps = any(manifest.unmeasured_under({**params, parameter: value}, name) != parameter for value in values)
            remedy = f"Name a metric that it measures{f' then, or choose another {parameter}' if helps else ''}."
            yield Flaw(pointer(*path), "unmeasured_metric", detail, remedy)
        elif isinstance(registration.subject.model, TinyModel) and metric.per_component:
            yield from _of_tiny(name.partition(".")[2], path)


def _of_tiny(component: str, path: tuple[str | int, ...]) -> Iterator[Flaw]:
    """Of other models, the layers and heads are known once they are loaded."""
    if not tiny.has(component):
        detail = f"the subject tiny has no component {component}"
        remedy = f"It has {tiny.LAYERS} layers of {tiny.HEADS} heads, both counted from 0, and no biases."
        yield Flaw(pointer(*path), "unknown_component", detail, remedy)


def _unknown_dimension(name: str, metric: Metric, registration: Registration) -> bool:
    return metric.per_dimension and name.partition(".")[2] not in _dimensions(registration)


def _dimensions(registration: Registration) -> list[str]:
    dataset = registration.subject.dataset
    return dataset.dimensions if isinstance(dataset, PairsDataset) else []


def _names(manifest: Manifest, *, diagnostic: bool) -> str:
    names = [metric.name for metric in manifest.metrics if metric.diagnostic == diagnostic]
    return ", ".join(names) or "none: this instrument has no such metric"


def _range(metric: Metric) -> str:
    numbers = "the whole numbers of " if metric.integer else ""
    return f"{numbers}[{metric.low:g}, {metric.high:g}]"
