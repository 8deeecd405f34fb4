"""The instruments as their manifests declare them, put into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from app.pages import words
from app.pages.claim.facts import Fact
from app.pages.claim.sureness import METHODS
from app.pages.scorecard import ScorecardView, scorecard_view
from claims.instruments import catalogue
from claims.instruments.manifest import Manifest, Metric
from claims.scorecards import Scorecard


@dataclass(frozen=True)
class MetricLine:
    name: str
    meaning: str
    range: str
    serves: str
    ceiling: str


@dataclass(frozen=True)
class Parameter:
    name: str
    says: str
    takes: str
    absent: str


@dataclass(frozen=True)
class ParameterTable:
    title: str
    rows: Sequence[Parameter]


@dataclass(frozen=True)
class InstrumentView:
    name: str
    title: str
    summary: str
    facts: Sequence[Fact]
    scorecard: ScorecardView | None
    metrics: Sequence[MetricLine]
    parameters: Sequence[ParameterTable]


def instrument_views(cards: Mapping[str, Scorecard], running: str) -> list[InstrumentView]:
    """Every instrument, by name; `running` is the hash of the source that would measure a dose series now."""
    return [_view(instrument.MANIFEST, cards.get(name), running) for name, instrument in sorted(catalogue().items())]


def _view(manifest: Manifest, card: Scorecard | None, running: str) -> InstrumentView:
    tables = [("Parameters", manifest.params)]
    tables += [(f"Parameters of the recipe {name}", schema) for name, schema in (manifest.recipes or {}).items()]
    return InstrumentView(
        name=manifest.name,
        title=manifest.title,
        summary=manifest.summary,
        facts=_facts(manifest),
        scorecard=scorecard_view(card, running) if card else None,
        metrics=[_metric(metric) for metric in manifest.metrics],
        parameters=[ParameterTable(title, _parameters(schema)) for title, schema in tables if schema.get("properties")],
    )


def _from(minimums: Mapping[str, int], unit: str) -> str:
    """From how many units on an interval is offered, where that differs between metrics from the fewest to the most."""
    least, most = min(minimums.values()), max(minimums.values())
    return f"from {least} {unit}s" if least == most else f"from {least} to {most} {unit}s, by metric"


def _facts(manifest: Manifest) -> list[Fact]:
    intervals = [f"{METHODS[method]} {_from(of, manifest.unit)}" for method, of in manifest.minimums().items()]
    sizes = [f"{size.replace('_', ' ')} up to {manifest.largest[size]:,}" for size in manifest.sampling]
    facts = [
        Fact("Name", manifest.name, note=f"version {manifest.version}", code=True),
        Fact("Models", ", ".join(manifest.model_kinds), note=", ".join(manifest.recipes or {})),
        Fact("Datasets", ", ".join(manifest.dataset_kinds), note=", ".join(manifest.generators)),
        Fact("Needs", ", ".join(word.replace("_", " ") for word in manifest.capabilities)),
        Fact("Sampling", ", ".join(sizes), note="stated, and fixed"),
        Fact("Intervals", "; ".join(intervals)),
        Fact("Gauge", manifest.gauge.replace("_", " ")),
        Fact("Queue", manifest.queue),
    ]
    return [fact for fact in facts if fact.value]


def _metric(metric: Metric) -> MetricLine:
    return MetricLine(
        name=metric.name,
        meaning=metric.meaning,
        range=f"{_range(metric)} {metric.unit}".strip(),
        serves="checks only" if metric.diagnostic else "hypotheses" + (", exact" if metric.exact else ""),
        ceiling=metric.ceiling,
    )


def _range(metric: Metric) -> str:
    left = f"[{words.figure(metric.low)}" if isfinite(metric.low) else f"({words.MINUS}∞"
    right = f"{words.figure(metric.high)}]" if isfinite(metric.high) else "∞)"
    limit = f"number of {metric.limit.replace('_', ' ')}]" if metric.limit else ""
    return f"{left}, {limit or right}"


def _parameters(schema: Mapping[str, Any]) -> list[Parameter]:
    required = set(schema.get("required", ()))
    return [_parameter(name, one, required=name in required) for name, one in schema["properties"].items()]


def _parameter(name: str, schema: Mapping[str, Any], *, required: bool) -> Parameter:
    absent = "refused" if required else "left out"
    if "default" in schema:
        absent = _value(schema["default"])
    return Parameter(name, str(schema.get("description", "")), _takes(schema), absent)


def _takes(schema: Mapping[str, Any]) -> str:
    if "const" in schema:
        return _value(schema["const"])
    if "enum" in schema:
        return ", ".join(_value(value) for value in schema["enum"])
    bounds = [
        f"{sign} {_value(schema[key])}"
        for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"))
        if key in schema
    ]
    return " ".join([str(schema.get("type", "any value")), *bounds])


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return words.figure(value) if isinstance(value, int | float) else str(value)
