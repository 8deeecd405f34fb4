"""What a reward model scores chosen above rejected by, and how often it does.

What is measured, and how it is estimated: docs/instruments/reward_scores.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.pair_blocks import MODEL_KINDS, cost_of_scoring, plan
from claims.instruments.ratios import NO_SPREAD, Ratios, estimated, in_sample
from claims.instruments.scores import Scores, counts, read_scores
from claims.intervals.jackknife_t import FEWEST, jackknife_t
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

Answer = Estimate | str

PARAMS: Mapping[str, Any] = MappingProxyType({"type": "object", "additionalProperties": False, "properties": {}})

MANIFEST = Manifest(
    name="reward_scores",
    version="1",
    title="Reward scores",
    summary=(
        "The reward model scores both responses of every pair as it would in use. The margin is the chosen response's "
        "reward less the rejected one's; accuracy is the share of pairs in which it is above zero, a tie counting one "
        "half. Every pair weighs the same, so a dimension with more pairs weighs more; macro_accuracy is the mean over "
        "dimensions instead. Intervals are delete-one-cluster jackknife-t. Nothing inside the model is looked at."
    ),
    params=PARAMS,
    metrics=(
        Metric("mean_margin", "mean reward of chosen less rejected, over all pairs", unit="reward"),
        Metric("mean_margin.<dimension>", "mean reward of chosen less rejected", unit="reward"),
        Metric("accuracy", "share of all pairs in which chosen scores above rejected; a tie is half", low=0, high=1),
        Metric("accuracy.<dimension>", "share in which chosen scores above rejected; a tie is half", low=0, high=1),
        Metric("macro_accuracy", "the mean over dimensions of their accuracy", low=0, high=1),
        Metric("tie_share", "share of all pairs with equal scores", low=0, high=1, diagnostic=True),
        Metric(
            "chosen_longer_share",
            "share of the pairs of unequal length, in tokens, in which chosen is the longer text",
            low=0,
            high=1,
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
    intervals=MappingProxyType({"jackknife_t": FEWEST}),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Two forwards a pair of texts."""
    return cost_of_scoring(registration, pairs_per_dimension, 0.01)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric over all pairs and per dimension; what is undefined, or of unknown error, is named."""
    del seeds  # nothing is drawn
    scores, level = read_scores(rows), registration.level
    answers: dict[str, Answer] = dict(_of_pairs(scores, level))
    answers["macro_accuracy"] = _macro(scores, level)
    absent = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    diagnostics = {"tie_share": float((scores.margin == 0).mean())}
    longer = scores.chosen_tokens - scores.rejected_tokens
    if longer.any():
        diagnostics["chosen_longer_share"] = float((longer > 0).sum() / (longer != 0).sum())
    else:
        absent["chosen_longer_share"] = "both texts of every pair are of the same length"
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics=diagnostics,
        not_measured=absent,
        counts=counts(scores),
    )


def _of_pairs(scores: Scores, level: float) -> Iterator[tuple[str, Answer]]:
    """The margin and the accuracy of all pairs, then of each dimension's."""
    whole = np.ones(len(scores.pairs), dtype=bool)
    parts = {f".{name}": scores.of(name) for name in sorted(set(scores.dimensions))}
    for suffix, kept in {"": whole, **parts}.items():
        clusters = [name for name, own in zip(scores.clusters, kept, strict=True) if own]
        means = Ratios.means(np.column_stack([scores.margin, scores.right])[kept], clusters)
        yield f"mean_margin{suffix}", means.answer(0, level, -inf, inf)
        yield f"accuracy{suffix}", means.answer(1, level, 0, 1)


def _macro(scores: Scores, level: float) -> Answer:
    """Jointly: a cluster is left out of every dimension that holds pairs of it."""
    dimensions = sorted(set(scores.dimensions))
    # One ratio a dimension, right answers over pairs; the others' pairs count in neither.
    own = np.column_stack([scores.of(name) for name in dimensions]).astype(float)
    ratios = [Ratios(scores.right[:, None] * own[:, [k]], own[:, k], scores.clusters) for k in range(len(dimensions))]
    for name, ratio in zip(dimensions, ratios, strict=True):
        if (why := ratio.why_not(0)) is not None:
            return f"accuracy.{name} has no interval: {why}"
    value = float(np.mean([ratio.values[0] for ratio in ratios]))
    left_out = np.mean([ratio.left_out[:, 0] for ratio in ratios], axis=0)
    lo, hi = jackknife_t(value, list(left_out), level, 0, 1)
    return estimated(value, (lo, hi), level, scores.clusters) if lo < hi else in_sample(value, NO_SPREAD)
