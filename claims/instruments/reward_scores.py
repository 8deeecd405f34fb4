"""What a reward model scores chosen above rejected by, and how often it does.

What is measured, and how it is estimated: docs/instruments/reward_scores.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.answers import ANYWHERE, Answer, Asked, Range
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import AUROC, MEAN, MEAN_OF_SHARES, SHARE, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, cost_of_scoring, plan
from claims.instruments.scores import Scores, counts, read_scores
from claims.intervals.aurocs import Aurocs
from claims.intervals.means import Means
from claims.intervals.sample import Sample
from claims.registration.model import Registration
from claims.seeds import Seeds
from claims.shuffling import coins

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

SHARE_OF_ALL = (0.0, 1.0)
CHANCE = "the probability that a chosen text scores above a rejected one, be they of one pair or not; a tie is half"
PARAMS: Mapping[str, Any] = MappingProxyType({"type": "object", "additionalProperties": False, "properties": {}})

MANIFEST = Manifest(
    name="reward_scores",
    version="1",
    title="Reward scores",
    summary=(
        "The reward model scores both responses of every pair as it would in use. The margin is the chosen response's "
        "reward less the rejected one's; accuracy is the share of pairs in which it is above zero, a tie counting one "
        "half. Every pair weighs the same, so a dimension with more pairs weighs more; macro_accuracy is the mean over "
        "dimensions instead. The AUROC compares every chosen text with every rejected one, and so asks whether scores "
        "can be compared between prompts. Intervals are over clusters of pairs. Nothing inside the model is looked at."
    ),
    params=PARAMS,
    metrics=(
        Metric("mean_margin", "mean reward of chosen less rejected, over all pairs", unit="reward"),
        Metric("mean_margin.<dimension>", "mean reward of chosen less rejected", unit="reward"),
        Metric("accuracy", "share of all pairs in which chosen scores above rejected; a tie is half", low=0, high=1),
        Metric("accuracy.<dimension>", "share in which chosen scores above rejected; a tie is half", low=0, high=1),
        Metric("auroc", f"over all pairs, {CHANCE}", low=0, high=1, statistic="auroc"),
        Metric("auroc.<dimension>", f"within the dimension, {CHANCE}", low=0, high=1, statistic="auroc"),
        Metric("macro_accuracy", "the mean over dimensions of their accuracy", low=0, high=1),
        Metric("tie_share", "share of all pairs with equal scores", low=0, high=1, diagnostic=True),
        Metric(
            "chosen_longer_share",
            "share of the pairs of unequal length, in tokens, in which chosen is the longer text",
            low=0,
            high=1,
            diagnostic=True,
        ),
        Metric(
            "shuffled_accuracy",
            "accuracy with chosen and rejected exchanged in clusters drawn by coin: about 0.5 whatever the model knows",
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
    intervals=by_metric(
        {
            **dict.fromkeys(("mean_margin", "mean_margin.<dimension>"), MEAN),
            **dict.fromkeys(("accuracy", "accuracy.<dimension>"), SHARE),
            **dict.fromkeys(("auroc", "auroc.<dimension>"), AUROC),
            "macro_accuracy": MEAN_OF_SHARES,
        }
    ),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Two forwards a pair of texts."""
    return cost_of_scoring(registration, pairs_per_dimension, 0.01)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric over all pairs and per dimension; what is undefined, or of unknown error, is named."""
    scores, asked = read_scores(rows), Asked.by(registration, MANIFEST, seeds)
    answers = dict(_of_pairs(scores, asked))
    answers["macro_accuracy"] = _macro(scores, asked)
    absent = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    diagnostics = {
        "tie_share": float((scores.margin == 0).mean()),
        "shuffled_accuracy": float(exchanged(scores, seeds).right.mean()),
    }
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


def exchanged(scores: Scores, seeds: Seeds) -> Scores:
    """Chosen and rejected exchanged in every cluster, by name, whose coin, drawn by `controls/shuffled`, says so."""
    names = sorted(set(scores.clusters))
    heads = dict(zip(names, coins(len(names), seeds("controls/shuffled")).tolist(), strict=True))
    other = np.array([heads[name] for name in scores.clusters])
    return replace(
        scores,
        chosen=np.where(other, scores.rejected, scores.chosen),
        rejected=np.where(other, scores.chosen, scores.rejected),
    )


def _of_pairs(scores: Scores, asked: Asked) -> Iterator[tuple[str, Answer]]:
    """The margin, the accuracy and the AUROC of all pairs, then of each dimension's."""
    parts = {f".{name}": scores.part(scores.of(name)) for name in sorted(set(scores.dimensions))}
    for suffix, part in {"": scores, **parts}.items():
        found: dict[str, tuple[Sample, Range]] = {
            "mean_margin": (Means.over(part.margin[None], part.clusters), ANYWHERE),
            "accuracy": (Means.over(part.right[None], part.clusters), SHARE_OF_ALL),
            "auroc": (_told_apart(part), SHARE_OF_ALL),
        }
        for name, (sample, within) in found.items():
            yield f"{name}{suffix}", asked.answer(f"{name}{suffix}", sample, part.clusters, within)


def _told_apart(scores: Scores) -> Aurocs:
    """Chosen texts from rejected ones by their scores, whichever pairs they are of."""
    texts = np.concatenate([scores.chosen, scores.rejected])
    return Aurocs.over(texts[None], np.arange(len(texts)) < len(scores.pairs), 2 * scores.clusters)


def _macro(scores: Scores, asked: Asked) -> Answer:
    """Jointly: a cluster is left out of every dimension that holds pairs of it."""
    sample = Means.over_groups(scores.right, scores.dimensions, scores.clusters)
    return asked.answer("macro_accuracy", sample, scores.clusters, SHARE_OF_ALL)
