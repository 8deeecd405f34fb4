"""Which components the reward is read from: each one's own contribution to the margin.

What is measured, and how it is estimated: docs/instruments/direct_linear_attribution.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.absent_components import absent_components
from claims.instruments.answers import ANYWHERE, Answer, Asked
from claims.instruments.attribution_shares import SHARE_OF_ALL, late_share, shares, top_share
from claims.instruments.calibrated_rankings import ATTRIBUTION
from claims.instruments.differentials import AttributionRows, Differentials
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import MAGNITUDE_SHARE, MEAN, TOP_SHARE, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, cost_of_scoring, plan
from claims.instruments.ratios import Ratios
from claims.instruments.scores import counts, read_beside_scores
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

PARAMS: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "convention": {
                "enum": ["frozen_norm", "raw"],
                "default": "frozen_norm",
                "description": (
                    "frozen_norm: each output is scaled as the final norm scales that text's residual stream, so that "
                    "the contributions add up to the reward; raw: no norm, so that they do not."
                ),
                "gauge": {"raw": "raw_only"},
            },
            "granularity": {
                "enum": ["component", "head"],
                "default": "component",
                "description": "head: every attention layer is split into its query heads (and its bias, if any).",
            },
        },
    }
)
_PER_DIMENSION = ("", ".<dimension>")

MANIFEST = Manifest(
    name="direct_linear_attribution",
    version="1",
    title="Direct linear attribution",
    summary=(
        "The reward is read linearly from a sum: of the embedding and of what every attention layer and MLP adds at "
        "the last token. Each one's output, scaled by the final norm's own scale for that text and projected on the "
        "readout, is its contribution; chosen less rejected, its differential, and the differentials add up to the "
        "margin. That is where the reward is read from, not what causes it: what an early component does through "
        "later ones counts as theirs. Shares are of the sum of |differential| over components and pairs."
    ),
    params=PARAMS,
    metrics=(
        *(
            Metric(
                f"top_share{suffix}",
                "the largest share of all |differential| that one component has",
                low=0,
                high=1,
                statistic="chosen",
            )
            for suffix in _PER_DIMENSION
        ),
        *(
            Metric(
                f"late_share{suffix}",
                "share of all |differential| in the last eighth of the layers, at least one",
                low=0,
                high=1,
            )
            for suffix in _PER_DIMENSION
        ),
        Metric("share.<component>", "the component's share of all |differential|", low=0, high=1),
        Metric("mean_differential.<component>", "the component's mean differential over all pairs", unit="reward"),
        Metric(
            "unexplained_share",
            "|margin - sum of differentials| as a share of all |differential|: rounding, but for convention raw",
            low=0,
            diagnostic=True,
        ),
        Metric("accuracy", "share of pairs in which chosen scores above rejected", low=0, high=1, diagnostic=True),
    ),
    gauge="covariant",
    access=("weights", "activations"),
    capabilities=("scores", "activations", "linear_readout"),
    model_kinds=MODEL_KINDS,
    dataset_kinds=("pairs",),
    sampling=("pairs",),
    unit="cluster",
    intervals=by_metric(
        {
            **dict.fromkeys(("share.<component>", "late_share", "late_share.<dimension>"), MAGNITUDE_SHARE),
            **dict.fromkeys(("top_share", "top_share.<dimension>"), TOP_SHARE),
            "mean_differential.<component>": MEAN,
        }
    ),
    # Without norm_bias: it is the same for both texts of a pair, so that nothing of it is ever left to estimate.
    components=MappingProxyType({"component": ("embed", "attn", "mlp"), "head": ("embed", "head", "bias", "mlp")}),
    calibrations=(ATTRIBUTION,),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Two forwards a pair of texts."""
    return cost_of_scoring(registration, pairs_per_dimension, 0.015)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric over all pairs, shares of layers per dimension too; what is undefined is named with the reason."""
    attribution = AttributionRows()
    attributed, scores = read_beside_scores(rows, "attribution", attribution.add, attribution.differentials)
    answers = dict(_answers(attributed, Asked.by(registration, MANIFEST, seeds)))
    absent = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    absent |= absent_components(answers, registration, "attributed")
    diagnostics = {"accuracy": float(scores.right.mean())}
    total = float(np.abs(attributed.values).sum())
    if total:
        margins = dict(zip(scores.pairs, scores.margin, strict=True))
        missing = np.abs([margins[pair] for pair in attributed.pairs] - attributed.values.sum(axis=1)).sum()
        diagnostics["unexplained_share"] = float(missing) / total
    else:
        absent["unexplained_share"] = "every differential is 0"
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics=diagnostics,
        not_measured=absent,
        counts={**counts(scores), "components": len(attributed.components), "layers": attributed.layers},
    )


def _answers(attributed: Differentials, asked: Asked) -> Iterator[tuple[str, Answer]]:
    parts = {f".{name}": attributed.of(name) for name in sorted(set(attributed.dimensions))}
    for suffix, part in {"": attributed, **parts}.items():
        yield f"top_share{suffix}", top_share(part, asked, f"top_share{suffix}")
        yield f"late_share{suffix}", late_share(part, asked, f"late_share{suffix}")
    of_each = {
        "share": (shares(attributed), SHARE_OF_ALL),
        "mean_differential": (Ratios.means(attributed.values, attributed.clusters), ANYWHERE),
    }
    for name, (ratios, within) in of_each.items():
        metrics = [f"{name}.{component}" for component in attributed.components]
        yield from zip(metrics, ratios.answers(asked, metrics, within, name), strict=True)
