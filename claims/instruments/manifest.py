"""What an instrument declares before it measures: the half of it that the API, the verifier and the page read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType
from typing import Any, Literal, Protocol

from claims.evidence import Estimated
from claims.registration.model import IntervalMethod, PairsDataset, Registration, SamplingUnit
from claims.seeds import Seeds

Gauge = Literal["invariant", "covariant", "raw_only"]
Capability = Literal["scores", "prefix_scores", "activations", "gradients", "hvp", "linear_readout"]
Limit = Literal["", "organisms", "pairs_per_organism", "pairs", "dimensions"]
Statistic = Literal["", "auroc", "standardised_mean", "agreement", "largest", "slope", "chosen"]
Row = Mapping[str, Any]
COMPONENT = re.compile(r"embed|norm_bias|(attn|mlp|bias)_L(0|[1-9][0-9]*)|head_L(0|[1-9][0-9]*)_H(0|[1-9][0-9]*)")
COMPONENTS = "embed, attn_L<layer>, mlp_L<layer>, head_L<layer>_H<head>, bias_L<layer> or norm_bias"
_WEAKEST_LAST: tuple[Gauge, ...] = ("invariant", "covariant", "raw_only")
# More than these would take months, and a plan of them more memory than the service has.
LARGEST: Mapping[str, int] = MappingProxyType({"organisms": 1_000, "pairs_per_organism": 10_000, "pairs": 100_000})


@dataclass(frozen=True)
class Metric:
    """One number the instrument estimates.

    `low` and `high` bound what it can possibly be, and `limit` names what a registration states and the metric cannot
    exceed: a size, or the number of the dataset's dimensions. An `integer` metric is a whole number. A name ending in
    `.<dimension>` stands for one metric per dimension of the dataset; in `.<component>`, for one per component of the
    model, whose components are known once it is loaded. A diagnostic metric may serve kill criteria and
    controls, never a hypothesis. `ceiling` says, where it is so, why the metric can hardly rise above `ceiling_at`;
    `pulled_to_zero`, where it is so, why its estimates lie too near 0. `needs` names parameters with the values under
    which alone the metric is measured. `statistic` says what is estimated where the design check is to draw it as what
    it is and not as a mean over units: an AUROC over pairs of texts, a mean over the standard deviation of pairs, a
    rho between two noisy rankings, the largest of several of them, or a slope on lengths. What is read off a component
    that the data chose is not drawn at all.
    """

    name: str
    meaning: str
    unit: str = ""
    low: float = -inf
    high: float = inf
    limit: Limit = ""
    integer: bool = False
    exact: bool = False
    diagnostic: bool = False
    ceiling: str = ""
    ceiling_at: float = inf
    pulled_to_zero: str = ""
    statistic: Statistic = ""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises ValueError for a ceiling without its height, or a height without the reason."""
        if bool(self.ceiling) != (self.ceiling_at < inf):
            raise ValueError(f"{self.name}: a ceiling is a value and a reason")

    @property
    def per_dimension(self) -> bool:
        return self.name.endswith(".<dimension>")

    @property
    def per_component(self) -> bool:
        return self.name.endswith(".<component>")

    def named(self, dimension: str) -> str:
        return self.name.replace("<dimension>", dimension)

    def within(self, registration: Registration) -> Metric:
        """The metric with the range that it has in this registration."""
        stated = dict(registration.sampling.sizes)
        if isinstance(registration.subject.dataset, PairsDataset):
            stated["dimensions"] = len(registration.subject.dataset.dimensions)
        return replace(self, high=min(self.high, stated.get(self.limit, inf)))


@dataclass(frozen=True)
class Calibration:
    """What an instrument's version is calibrated by: how well its ranking recovers the constructed key of organisms.

    At full dose the lower bound of `metric`, an estimate of planted_key_recovery, must lie above `level`. The ranking
    is the one measured there where the instrument's parameters have the values in `params`, as far as it has them.
    """

    metric: str
    level: float
    params: Mapping[str, str]

    def covers(self, params: Mapping[str, Any]) -> bool:
        """Whether an instrument with these parameters, complete, ranks as was calibrated."""
        return all(params.get(name, value) == value for name, value in self.params.items())


@dataclass(frozen=True)
class Cost:
    """What a run will take on one CPU core: forwards, seconds, bytes of memory."""

    forwards: int
    seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class Manifest:
    """`params` is a JSON Schema (2020-12) of the instrument's parameters, with `additionalProperties: false`.

    `sampling` names the sizes of `Sampling` that a registration must state, and no others may stand there;
    `largest` how large each may be.
    `intervals` lists the methods it offers, each with the smallest number of independent units from which simulation
    shows it to hold (docs/statistics.md), by metric; a metric that is left out is not offered it.
    `gauge` is that of the default parameters; where a parameter's value has a weaker one, its schema says so under
    `gauge`, by value.
    `model_kinds` and `dataset_kinds` are the kinds of subject it takes; `recipes` and `generators` the named ones.
    `components` says, by the value of `granularity`, which sorts of component (`attn`, `mlp`, `head` …) it measures.
    `calibrations` must all hold for this version to be calibrated; one that states none cannot be.
    """

    name: str
    version: str
    title: str
    summary: str
    params: Mapping[str, Any]
    metrics: tuple[Metric, ...]
    gauge: Gauge
    access: tuple[str, ...]
    capabilities: tuple[Capability, ...]
    model_kinds: tuple[str, ...]
    dataset_kinds: tuple[str, ...]
    sampling: tuple[str, ...]
    unit: SamplingUnit
    intervals: Mapping[IntervalMethod, Mapping[str, int]]
    queue: Literal["cpu", "gpu"] = "cpu"
    recipes: Mapping[str, Mapping[str, Any]] | None = None
    generators: tuple[str, ...] = ()
    components: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    largest: Mapping[str, int] = field(default_factory=lambda: LARGEST)
    calibrations: tuple[Calibration, ...] = ()

    def metric(self, name: str) -> Metric | None:
        """The metric called `name`, one of a family by dimension or by component included; None when there is none."""
        prefix, dot, member = name.partition(".")
        names = {name}
        if dot:
            names.add(f"{prefix}.<dimension>")
        if COMPONENT.fullmatch(member):
            names.add(f"{prefix}.<component>")
        return next((metric for metric in self.metrics if metric.name in names), None)

    def fewest(self, method: IntervalMethod, name: str) -> int | None:
        """The smallest number of independent units for that interval of the metric `name`; None where it has none."""
        metric = self.metric(name)
        return None if metric is None else self.intervals.get(method, {}).get(metric.name)

    def minimums(self) -> dict[IntervalMethod, dict[str, int]]:
        """`intervals`, as what JSON can hold."""
        return {method: dict(of) for method, of in self.intervals.items()}

    def unmeasured_under(self, params: Mapping[str, Any], name: str) -> str | None:
        """The parameter that keeps the metric `name`, one there is, from being measured; None where none does.

        `params` are complete; one whose value its schema does not know keeps nothing from being measured.
        """
        metric, (_, _, member) = self.metric(name), name.partition(".")
        needs = dict(metric.needs) if metric else {}
        if metric and metric.per_component:
            sort = member.partition("_L")[0]
            needs["granularity"] = tuple(value for value, sorts in self.components.items() if sort in sorts)
        known = {parameter: self.params["properties"].get(parameter, {}).get("enum", []) for parameter in needs}
        wrong = (one for one in needs if params.get(one) in known[one] and params[one] not in needs[one])
        return next(wrong, None)

    def gauge_under(self, params: Mapping[str, Any]) -> Gauge:
        """The gauge of what is measured with these parameters: the weakest that the manifest or one of them states."""
        rules = ((self.params["properties"].get(name, {}).get("gauge", {}), value) for name, value in params.items())
        stated = [gauges[value] for gauges, value in rules if isinstance(value, str) and value in gauges]
        return max([self.gauge, *stated], key=_WEAKEST_LAST.index)


@dataclass(frozen=True)
class Shard:
    """A part of a run that can be measured alone and in any order; `params` says which part."""

    label: str
    rows: int
    params: Mapping[str, Any]


class Instrument(Protocol):
    """The torch-free half of an instrument: a module `claims.instruments.<name>` with these names in it.

    `plan` cuts a run into shards (in the order in which their rows are joined), given how many pairs the dataset
    holds per dimension (empty for a generated one). `estimate` is pure: the same rows and seeds give the same answer.
    """

    MANIFEST: Manifest

    @staticmethod
    def plan(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Sequence[Shard]: ...

    @staticmethod
    def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost: ...

    @staticmethod
    def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated: ...
