from __future__ import annotations

from math import isfinite
from typing import Any, Self

from pydantic import Field

from app.api.schemas.answers import Answer
from app.api.schemas.scorecards import ScorecardAnswer
from claims.instruments.manifest import Manifest, Metric, Statistic

_OF_ITS_OWN = {"metrics", "recipes", "components", "intervals", "calibrations"}


class MetricAnswer(Answer):
    """One number that an instrument estimates; a bound is null where there is none."""

    name: str = Field(examples=["recovery_gap"])
    meaning: str
    unit: str
    low: float | None
    high: float | None
    limit: str = Field(description="What a registration states and the metric cannot exceed; empty where nothing is.")
    integer: bool = Field(description="A whole number.")
    exact: bool
    diagnostic: bool = Field(description="May serve kill criteria and controls, never a hypothesis.")
    ceiling: str = Field(description="Why the metric can hardly rise above `ceiling_at`; empty where it can.")
    ceiling_at: float | None
    pulled_to_zero: str = Field(description="Why its estimates lie too near 0; empty where they do not.")
    statistic: Statistic = Field(description="What the design check draws it as; empty where that is a mean.")
    needs: dict[str, list[str]] = Field(description="Parameters with the values under which alone it is measured.")

    @classmethod
    def of(cls, metric: Metric) -> Self:
        named = (("low", metric.low), ("high", metric.high), ("ceiling_at", metric.ceiling_at))
        bounds = {name: bound if isfinite(bound) else None for name, bound in named}
        needs = {name: list(values) for name, values in metric.needs.items()}
        return cls(**{**vars(metric), **bounds, "needs": needs})


class InstrumentAnswer(Answer):
    """An instrument's manifest: what it takes, and what it estimates."""

    name: str = Field(examples=["planted_key_recovery"])
    version: str
    title: str
    summary: str
    params: dict[str, Any] = Field(description="JSON Schema of its parameters.")
    metrics: list[MetricAnswer]
    gauge: str
    access: list[str]
    capabilities: list[str]
    model_kinds: list[str]
    dataset_kinds: list[str]
    recipes: dict[str, Any] = Field(description="The organisms it knows, each with the JSON Schema of its parameters.")
    generators: list[str]
    sampling: list[str] = Field(description="The sizes that a registration states.")
    largest: dict[str, int] = Field(description="How large each size may be.")
    unit: str
    intervals: dict[str, dict[str, int]] = Field(
        description="The interval methods, each with the fewest independent units by metric; no other has one."
    )
    queue: str
    components: dict[str, list[str]] = Field(description="By granularity, the sorts of component that it measures.")
    scorecard: ScorecardAnswer | None = Field(description="Null for an instrument that cannot be calibrated.")

    @classmethod
    def of(cls, manifest: Manifest, scorecard: ScorecardAnswer | None) -> Self:
        metrics = [MetricAnswer.of(metric) for metric in manifest.metrics]
        recipes = {name: dict(schema) for name, schema in (manifest.recipes or {}).items()}
        components = {name: list(sorts) for name, sorts in manifest.components.items()}
        intervals = {str(method): of for method, of in manifest.minimums().items()}
        rest = {name: _plain(value) for name, value in vars(manifest).items() if name not in _OF_ITS_OWN}
        return cls(
            metrics=metrics,
            recipes=recipes,
            components=components,
            intervals=intervals,
            scorecard=scorecard,
            **rest,
        )


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value of a manifest
    return list(value) if isinstance(value, tuple) else value
