"""Which of two methods finds the components that were trained to carry a rule.

What is measured, and how it is estimated: docs/instruments/planted_key_recovery.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.answers import Answer, Asked, in_sample
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.instruments.grid import LEFT_OUT
from claims.instruments.manifest import Cost, Manifest, Metric, Row, Shard
from claims.instruments.minimums import by_metric
from claims.instruments.params import completed
from claims.instruments.patching_params import patching
from claims.instruments.planted_key_metrics import DIAGNOSTIC, ESTIMATED, STATISTICS
from claims.instruments.planted_key_recipe import RECIPE, recipe_of
from claims.instruments.planted_key_rows import MeasuredOrganism, controlled, organisms_in, recovered
from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means
from claims.intervals.spread import differ
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.registration.model import Registration
from claims.seeds import Seeds

PARAMS: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "key_size": {
                "type": "integer",
                "minimum": 1,
                "maximum": 4,
                "default": 3,
                "description": "How many components the twin-activation-delta key holds.",
            },
            **patching(heads=False, both=False),
        },
    }
)


MANIFEST = Manifest(
    name="planted_key_recovery",
    version="1",
    title="Planted-key recovery",
    summary=(
        "Small transformer reward models are trained from the run's seeds so that a marker in the response drives "
        "the reward and only named components may learn. Attribution (direct linear, frozen_norm) and patching each "
        "rank the components by mean |effect|. Each ranking is scored by AUROC against two answer keys: the "
        "components that alone could learn (constructed) and those that react most to the marker "
        "(twin_activation_delta). An organism that does not obey its rule on held-out pairs is measured, counted and "
        "left out."
    ),
    params=PARAMS,
    metrics=(*ESTIMATED, *DIAGNOSTIC),
    gauge="invariant",
    access=("weights", "activations"),
    capabilities=("scores", "activations", "linear_readout"),
    model_kinds=("organism",),
    dataset_kinds=("generated",),
    sampling=("organisms", "pairs_per_organism"),
    unit="organism",
    intervals=by_metric(STATISTICS, first="student_t"),
    recipes=MappingProxyType({"planted_key": RECIPE}),
    generators=("planted_key_pairs",),
    calibrations=(ATTRIBUTION, PATCHING),
)


def plan(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Sequence[Shard]:
    """One shard an organism, whose number, from 0, is in its params."""
    del pairs_per_dimension  # the pairs are generated
    components, sizes = 2 * recipe_of(registration)["layers"], registration.sampling.sizes
    rows = 1 + components + sizes["pairs_per_organism"] * (2 + (components + 1) + components)
    return [Shard(f"organism/{number}", rows, {"organism": number}) for number in range(sizes["organisms"])]


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Forwards of one text each; training dominates, at 14 ms a step for 8 layers of 32 on one core."""
    del pairs_per_dimension
    recipe, sizes = recipe_of(registration), registration.sampling.sizes
    forwards = 48 * recipe["steps"] + 1152 + sizes["pairs_per_organism"] * (2 + 2 * recipe["layers"])
    seconds = 0.3 + 0.014 * recipe["steps"] * recipe["layers"] / 8
    return Cost(sizes["organisms"] * forwards, round(sizes["organisms"] * seconds, 1), 900 * 2**20)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Each metric's mean over governed organisms with its interval over them, within its range."""
    organisms = organisms_in(rows)
    governed = [organism for organism in organisms if organism.governed]
    key_size = completed(PARAMS, registration.instrument.params)["key_size"]
    values = [recovered(organism, key_size) for organism in governed]
    asked = Asked.by(registration, MANIFEST, seeds)
    found = {metric.name: _over_organisms(metric, values, asked) for metric in ESTIMATED}
    absent = {name: answer for name, answer in found.items() if isinstance(answer, str)}
    diagnostics = {"organisms_governed": float(len(governed)), **_means(governed, seeds)}
    if not governed:
        absent["organism_accuracy"] = "no organism obeyed its rule"
    for metric in DIAGNOSTIC:
        if metric.name not in diagnostics:
            absent.setdefault(metric.name, "no governed organism gives it a value")
    return Estimated(
        estimates={name: answer for name, answer in found.items() if isinstance(answer, Estimate)},
        diagnostics=diagnostics,
        not_measured=absent,
        counts=_counts(organisms),
    )


def _means(governed: Sequence[MeasuredOrganism], seeds: Seeds) -> dict[str, float]:
    """How well governed organisms obey, and each control's mean over those that define it."""
    told = [{"organism_accuracy": organism.accuracy, **controlled(organism, seeds)} for organism in governed]
    names = {name: [one[name] for one in told if name in one] for one in told for name in one}
    return {name: sum(values) / len(values) for name, values in names.items()}


def _over_organisms(metric: Metric, values: Sequence[Mapping[str, float]], asked: Asked) -> Answer:
    """The estimate, or why there is none. Organisms that are all alike give an interval of no width, which is void."""
    defined = np.array([value[metric.name] for value in values if metric.name in value])
    if few := asked.too_few(metric.name, len(defined), "{} governed organisms give it a value"):
        return few
    bounds = np.array([defined[0], defined[0]])
    value = float(defined[0])
    if differ(defined, metric.low, metric.high):
        sample, seed = Means.over(defined[None], range(len(defined))), asked.seeds(f"bootstrap/{metric.name}")
        value = float(defined.mean())
        bounds = by_cluster(asked.method, sample, asked.level, asked.resamples, seed, metric.low, metric.high)[0]
    if not np.isfinite(bounds).all():
        at_an_end = "it is at an end of its range with one organism left out"
        why = asked.unbounded if asked.method in BOOTSTRAPS else at_an_end
        return in_sample(value, f"{asked.method} has no bounds: {why}")
    return Estimate(
        value=value,
        lo=float(bounds[0]),
        hi=float(bounds[1]),
        level=asked.level,
        method=asked.method,
        unit="organism",
        n=len(defined),
        n_effective=float(len(defined)),
    )


def _counts(organisms: Sequence[MeasuredOrganism]) -> dict[str, int]:
    """Of everything measured, excluded organisms included; `pairs_per_organism` is the fewest any had."""
    grids = [organism.grid for organism in organisms]
    return {
        "organisms": len(organisms),
        "organisms_excluded": sum(not organism.governed for organism in organisms),
        "pairs": sum(len(grid.pairs) for grid in grids),
        "pairs_per_organism": min((len(grid.pairs) for grid in grids), default=0),
        "negative_margins": sum(grid.negative_margins for grid in grids),
        **{state: sum(grid.states[state] for grid in grids) for state in LEFT_OUT},
    }
