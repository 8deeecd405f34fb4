"""Which of two methods finds the components that were trained to carry a rule.

What is measured, and how it is estimated: docs/instruments/planted_key_recovery.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any

from claims.evidence import Estimate, Estimated
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.instruments.grid import LEFT_OUT
from claims.instruments.manifest import Cost, Manifest, Metric, Row, Shard
from claims.instruments.params import completed
from claims.instruments.patching_params import patching
from claims.instruments.planted_key_recipe import RECIPE, recipe_of
from claims.instruments.planted_key_rows import MeasuredOrganism, organisms_in, recovered
from claims.intervals.student_t import FEWEST, student_t
from claims.registration.model import Registration
from claims.seeds import Seeds

CEILING = (
    "This key reads the same last-token difference as attribution does, so attribution's AUROC under it is near 1 by "
    "construction (1.0 in first trials, about 0.95 with the default recipe), and patching can hardly come out better. "
    "Read it beside the gap under the constructed key."
)

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


def _auc(method: str, key: str, suffix: str) -> Metric:
    meaning = f"AUROC of {method}'s ranking by mean |effect| against the {key} key, mean over governed organisms"
    return Metric(f"{method}_recovery_auc{suffix}", meaning, low=0, high=1)


def _gap(key: str, suffix: str, ceiling: str = "", ceiling_at: float = inf) -> Metric:
    meaning = f"patching's AUROC less attribution's under the {key} key, mean over governed organisms"
    return Metric(f"recovery_gap{suffix}", meaning, low=-1, high=1, ceiling=ceiling, ceiling_at=ceiling_at)


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
    metrics=(
        _auc("attribution", "twin-activation-delta", ""),
        _auc("patching", "twin-activation-delta", ""),
        _gap("twin-activation-delta", "", CEILING, ceiling_at=0),
        _auc("attribution", "constructed", "_constructed"),
        _auc("patching", "constructed", "_constructed"),
        _gap("constructed", "_constructed"),
        Metric("spearman", "Spearman's rho between the two rankings, mean over governed organisms", low=-1, high=1),
        Metric("organism_accuracy", "held-out accuracy, mean over governed organisms", low=0, high=1, diagnostic=True),
        Metric(
            "organisms_governed",
            "organisms that obey their rule on held-out pairs",
            low=0,
            limit="organisms",
            integer=True,
            diagnostic=True,
        ),
    ),
    gauge="invariant",
    access=("weights", "activations"),
    capabilities=("scores", "activations", "linear_readout"),
    model_kinds=("organism",),
    dataset_kinds=("generated",),
    sampling=("organisms", "pairs_per_organism"),
    unit="organism",
    intervals=MappingProxyType({"student_t": FEWEST}),
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
    """Each metric's mean over governed organisms with Student's interval over them, clipped to its range."""
    del seeds  # nothing is drawn
    organisms = organisms_in(rows)
    governed = [organism for organism in organisms if organism.governed]
    key_size = completed(PARAMS, registration.instrument.params)["key_size"]
    values = [recovered(organism, key_size) for organism in governed]
    found = {
        metric.name: _over_organisms(metric, values, registration.level)
        for metric in MANIFEST.metrics
        if not metric.diagnostic
    }
    absent = {name: answer for name, answer in found.items() if isinstance(answer, str)}
    diagnostics = {"organisms_governed": float(len(governed))}
    if governed:
        diagnostics["organism_accuracy"] = sum(organism.accuracy for organism in governed) / len(governed)
    else:
        absent["organism_accuracy"] = "no organism obeyed its rule"
    return Estimated(
        estimates={name: answer for name, answer in found.items() if isinstance(answer, Estimate)},
        diagnostics=diagnostics,
        not_measured=absent,
        counts=_counts(organisms),
    )


def _over_organisms(metric: Metric, values: Sequence[Mapping[str, float]], level: float) -> Estimate | str:
    """The estimate, or why there is none."""
    defined = [value[metric.name] for value in values if metric.name in value]
    n = len(defined)
    if n < FEWEST:
        return f"{n} governed organisms give it a value; Student's interval needs {FEWEST}"
    mean, lo, hi = student_t(defined, level, metric.low, metric.high)
    return Estimate(
        value=mean,
        lo=lo,
        hi=hi,
        level=level,
        method="student_t",
        unit="organism",
        n=n,
        n_effective=float(n),
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
