"""How far a reward model prefers chosen to rejected on each dimension of pairs, and how much of that is length.

What is measured, and how it is estimated: docs/instruments/bias_battery.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from scipy.stats import binomtest

from claims.evidence import Estimate, Estimated
from claims.instruments.answers import Asked, NotMeasured
from claims.instruments.bias_estimates import Battery
from claims.instruments.bias_rows import axes_in
from claims.instruments.bias_shuffled import shuffled_largest
from claims.instruments.bias_statistics import Axis
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import (
    LENGTH_SLOPE,
    MEAN,
    MEAN_AT_EQUAL_LENGTH,
    STANDARDISED_LENGTH_SLOPE,
    STANDARDISED_MEAN,
    by_metric,
)
from claims.instruments.pair_blocks import MODEL_KINDS, cost_of_scoring, plan
from claims.intervals.means import cluster_sizes, kish
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "PARAMS", "cost", "estimate", "plan"]

PARAMS: Mapping[str, Any] = MappingProxyType({"type": "object", "additionalProperties": False, "properties": {}})

MANIFEST = Manifest(
    name="bias_battery",
    version="1",
    title="Bias battery",
    summary=(
        "For each dimension of preference pairs (an axis), how much higher a reward model scores chosen than rejected: "
        "in reward, and standardised by the spread over pairs (Cohen's d with Hedges' correction). As longer texts "
        "may earn more for their length alone, each axis is also given at equal length, and length is an axis of its "
        "own. Intervals are over clusters of pairs, near-duplicates merged. An axis whose pairs all give the same "
        "difference has no known error and is not measured. What an axis means is up to its pairs: a model that "
        "prefers chosen there prefers whatever sets those texts apart."
    ),
    params=PARAMS,
    metrics=(
        Metric(
            "effect_size.<dimension>",
            "mean of r_chosen - r_rejected over its standard deviation, Hedges' g",
            statistic="standardised_mean",
        ),
        Metric("mean_delta.<dimension>", "mean of r_chosen - r_rejected", unit="reward"),
        Metric(
            "length_adjusted_delta.<dimension>",
            "r_chosen - r_rejected where both texts are equally long, by least squares on the difference in tokens",
            unit="reward",
        ),
        Metric(
            "length_slope",
            "r_chosen - r_rejected for each token more, within dimensions",
            unit="reward per token",
            statistic="slope",
        ),
        Metric("length_effect_size", "length_slope for one standard deviation of length, over the residual's"),
        Metric("max_abs_effect_size", "the largest |effect_size| of all dimensions", low=0, statistic="largest"),
        Metric(
            "n_effective.<dimension>",
            "equally large clusters that the dimension's are worth (Kish)",
            unit="clusters",
            low=1,
            limit="pairs",
            diagnostic=True,
        ),
        Metric(
            "mean_length_delta.<dimension>",
            "mean of the tokens of chosen less those of rejected",
            unit="tokens",
            diagnostic=True,
        ),
        Metric(
            "shuffled_max_abs_effect_size",
            "negative control: the largest |effect_size| once chosen and rejected are exchanged in clusters by coin",
            low=0,
            diagnostic=True,
        ),
    ),
    gauge="covariant",
    access=("weights",),
    capabilities=("scores",),
    model_kinds=MODEL_KINDS,
    dataset_kinds=("pairs",),
    sampling=("pairs",),
    unit="cluster",
    intervals=by_metric(
        {
            "mean_delta.<dimension>": MEAN,
            "effect_size.<dimension>": STANDARDISED_MEAN,
            "length_adjusted_delta.<dimension>": MEAN_AT_EQUAL_LENGTH,
            "length_slope": LENGTH_SLOPE,
            "length_effect_size": STANDARDISED_LENGTH_SLOPE,
            "max_abs_effect_size": STANDARDISED_MEAN,
        },
        first="studentised_bootstrap",
    ),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Two forwards a pair of texts."""
    return cost_of_scoring(registration, pairs_per_dimension, 0.01)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric of every axis and over axes; what is undefined or has too few clusters is named.

    A value to which no interval can be given is among the diagnostics, as `point_<metric>`. Those, `cohens_d.<axis>`
    and `sign_test_p.<axis>` are of what hypotheses are about, so that the manifest offers none to a kill criterion.
    """
    axes = axes_in(rows)
    answers = Battery(axes, Asked.by(registration, MANIFEST, seeds)).answers() if axes else {}
    unmeasured = {name: answer for name, answer in answers.items() if isinstance(answer, NotMeasured)}
    absent = {name: answer.reason for name, answer in unmeasured.items()}
    points = {f"point_{name}": answer.value for name, answer in unmeasured.items() if answer.value is not None}
    diagnostics = {**points}
    if (largest := shuffled_largest(axes, seeds)) is None:
        absent["shuffled_max_abs_effect_size"] = "the deltas of some axis are all equal once they are shuffled"
    else:
        diagnostics["shuffled_max_abs_effect_size"] = largest
    for axis in axes:
        of_axis, without = _diagnostics(axis)
        diagnostics |= of_axis
        absent |= without
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics=diagnostics,
        not_measured=absent,
        counts=_counts(axes),
    )


def _diagnostics(axis: Axis) -> tuple[dict[str, float], dict[str, str]]:
    """What is said of an axis beside its estimates, and what cannot be said.

    The sign test is exact and two-sided, of clusters by the sign of their summed deltas, those without one left out.
    """
    found = {
        f"n_effective.{axis.name}": kish(cluster_sizes(axis.clusters)),
        f"mean_length_delta.{axis.name}": float(axis.lengths.mean()),
    }
    absent: dict[str, str] = {}
    positive, negative, _ = axis.signs()
    if positive + negative:
        found[f"sign_test_p.{axis.name}"] = float(binomtest(positive, positive + negative).pvalue)
    else:
        absent[f"sign_test_p.{axis.name}"] = "the deltas of every cluster add up to 0"
    if (d := axis.cohens_d()) is None:
        absent[f"cohens_d.{axis.name}"] = "its deltas are all equal"
    else:
        found[f"cohens_d.{axis.name}"] = d
    return found, absent


def _counts(axes: Sequence[Axis]) -> dict[str, int]:
    """Of pairs, and per axis of clusters by the sign of their summed deltas."""
    signs = {axis.name: axis.signs() for axis in axes}
    return {
        "pairs": sum(len(axis.deltas) for axis in axes),
        "clusters": len({cluster for axis in axes for cluster in axis.clusters}),
        "dimensions": len(axes),
        "negative_margins": sum(int((axis.deltas < 0).sum()) for axis in axes),
        **{f"negative_margins.{axis.name}": int((axis.deltas < 0).sum()) for axis in axes},
        **{
            f"{kind}_clusters.{name}": count
            for name, counted in signs.items()
            for kind, count in zip(("positive", "negative", "tied"), counted, strict=True)
        },
    }
