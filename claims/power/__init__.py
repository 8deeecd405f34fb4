"""What a design can be expected to decide, by simulation, before it is frozen: docs/power.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from claims.instruments.manifest import Manifest
from claims.power import cautions
from claims.power.budget import searched
from claims.power.family import expected
from claims.power.prospect import Prospect
from claims.power.recorded import Recorded
from claims.power.simulating import Simulation
from claims.power.study import Analysis
from claims.power.units import units_for
from claims.registration.model import Hypothesis, PairsDataset, Registration

__all__ = ["Power", "Recorded", "power_of"]


@dataclass(frozen=True)
class Power:
    """`hypotheses` in the registration's order, the `claim` as a whole, and `warnings`, as the answer has them."""

    hypotheses: Sequence[dict[str, Any]]
    claim: Mapping[str, Any]
    warnings: Sequence[dict[str, str]] = field(default=())


def power_of(
    registration: Registration,
    manifest: Manifest,
    clusters: Mapping[str, int] = MappingProxyType({}),
    recorded: Mapping[str, Recorded] = MappingProxyType({}),
) -> Power:
    """What a registration without flaws can be expected to decide.

    `clusters` holds, by metric of a hypothesis, how many independent clusters it is over; `recorded` what the ledger
    knows of a metric's spread. The same arguments give the same answer: everything is drawn from one fixed seed,
    and how many studies are simulated is counted out, not timed (`claims.power.budget`).
    """
    analysis = _analysis(registration, recorded)
    left = searched(analysis.hypotheses, analysis.simulated_resamples)
    prospects: list[Prospect] = []
    for hypothesis in registration.hypotheses:
        simulation = _simulation(hypothesis, registration, manifest, analysis, clusters)
        assumption, known = registration.assumptions.get(hypothesis.metric), recorded.get(hypothesis.metric)
        prospects.append(simulation.prospect(assumption, known, searched=left > 0))
        left -= prospects[-1].searched
    return Power(
        hypotheses=[prospect.as_json() for prospect in prospects],
        claim=expected(prospects),
        warnings=list(_warnings(registration, manifest, prospects, recorded, analysis)),
    )


def _analysis(registration: Registration, recorded: Mapping[str, Recorded]) -> Analysis:
    analysis, known = registration.analysis, {*registration.assumptions, *recorded}
    simulated = sum(hypothesis.metric in known for hypothesis in registration.hypotheses)
    return Analysis(analysis.interval, registration.level, analysis.resamples, max(1, simulated))


def _simulation(
    hypothesis: Hypothesis,
    registration: Registration,
    manifest: Manifest,
    analysis: Analysis,
    clusters: Mapping[str, int],
) -> Simulation:
    metric = manifest.metric(hypothesis.metric)
    if metric is None:
        raise ValueError(f"{manifest.name} has no metric {hypothesis.metric}")
    units = units_for(hypothesis.metric, registration, manifest, clusters)
    dataset = registration.subject.dataset
    dimensions = len(dataset.dimensions) if isinstance(dataset, PairsDataset) else 1
    return Simulation(hypothesis, metric.within(registration), analysis, manifest.unit, units, dimensions)


def _warnings(
    registration: Registration,
    manifest: Manifest,
    prospects: Sequence[Prospect],
    recorded: Mapping[str, Recorded],
    analysis: Analysis,
) -> Iterator[dict[str, str]]:
    yield from cautions.of_prospects(prospects)
    yield from cautions.of_assumptions(registration, manifest, recorded)
    yield from cautions.of_tails(registration, manifest, prospects)
    yield from cautions.of_resamples(analysis)
    yield from cautions.of_waiting(registration)
