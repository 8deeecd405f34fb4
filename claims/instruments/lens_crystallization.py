"""At which depth a reward model's preference is there: where the running margin reaches half of its final value.

What is measured, and how it is estimated: docs/instruments/lens_crystallization.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.answers import Answer, Asked
from claims.instruments.crossing_layer import layer_of_mean, median_layer
from claims.instruments.lens_curves import Curves, LensRows, first_crossing, last_crossing
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import LAYER_OF_MEAN, LAYER_OF_MEDIAN, MEAN, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, cost_of_scoring, plan
from claims.instruments.ratios import Ratios
from claims.instruments.scores import counts, read_beside_scores
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

PARAMS: Mapping[str, Any] = MappingProxyType({"type": "object", "additionalProperties": False, "properties": {}})


def _twice(name: str, meaning: str, **rest: Any) -> tuple[Metric, Metric]:  # noqa: ANN401 - Metric's own fields
    """The metric over all pairs, and the one of each dimension's."""
    return Metric(name, f"{meaning}, over all pairs", **rest), Metric(f"{name}.<dimension>", meaning, **rest)


MANIFEST = Manifest(
    name="lens_crystallization",
    version="1",
    title="Lens crystallization",
    summary=(
        "The residual stream at the last token, after the embedding and after every layer, is put through the final "
        "norm and read by the reward's own readout: a running reward for chosen and rejected, and between them a "
        "running margin. It has crystallized at the first layer where it is at least half of its final value, with "
        "the final sign; -1 is the embedding. That need not last: how many margins cross again is counted. The layer "
        "is a whole number between bounds that hold for it: the first layer where the mean margin may be there, and "
        "the first where it surely is. A lens reads; that a later layer could use what is read is not shown by it."
    ),
    params=PARAMS,
    metrics=(
        *_twice(
            "crystallization_layer",
            "first layer at which the mean margin reaches half its final value, from -1, the embedding",
            unit="layer",
            low=-1,
            integer=True,
            exact=True,
        ),
        *_twice(
            "crystallization_fraction",
            "(crystallization_layer + 1) / layers: 0 at the embedding, 1 at the last layer",
            unit="of the layers",
            low=0,
            high=1,
            exact=True,
        ),
        *_twice(
            "crystallization_layer_median",
            "first layer by which at least half of the pairs have reached half of their own final margin",
            unit="layer",
            low=-1,
            integer=True,
            exact=True,
        ),
        *_twice("final_margin", "mean margin after the last layer: reward of chosen less rejected", unit="reward"),
        *_twice("recrossing_share", "share of pairs that cross more than once", low=0, high=1, diagnostic=True),
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
            name + suffix: minimums
            for suffix in ("", ".<dimension>")
            for name, minimums in (
                ("crystallization_layer", LAYER_OF_MEAN),
                ("crystallization_fraction", LAYER_OF_MEAN),
                ("crystallization_layer_median", LAYER_OF_MEDIAN),
                ("final_margin", MEAN),
            )
        }
    ),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """Two forwards a pair of texts."""
    return cost_of_scoring(registration, pairs_per_dimension, 0.01)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric over all pairs and per dimension; what is undefined, or not certain enough, is named."""
    asked = Asked.by(registration, MANIFEST, seeds)
    lens = LensRows()
    curves, scores = read_beside_scores(rows, "lens", lens.add, lens.curves)
    answers: dict[str, Answer] = {}
    diagnosed: dict[str, float | None] = {}
    parts = {f".{name}": curves.of(name) for name in sorted(set(curves.dimensions))}
    for suffix, part in {"": curves, **parts}.items():
        answers |= dict(_answers(part, asked, suffix))
        diagnosed[f"recrossing_share{suffix}"] = _recrossing_share(part)
    absent = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    absent |= {name: "no final margin is other than 0" for name, value in diagnosed.items() if value is None}
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics={name: value for name, value in diagnosed.items() if value is not None},
        not_measured=absent,
        counts={**counts(scores), **_last_crossings(parts | {"": curves}), **_depths(curves)},
    )


def _answers(curves: Curves, asked: Asked, suffix: str) -> Iterator[tuple[str, Answer]]:
    layer, median, final = (
        f"{name}{suffix}" for name in ("crystallization_layer", "crystallization_layer_median", "final_margin")
    )
    of_mean = layer_of_mean(curves, asked, layer)
    yield layer, of_mean
    yield f"crystallization_fraction{suffix}", _as_fraction(of_mean, curves.layers)
    yield median, median_layer(curves, asked, median)
    yield final, Ratios.means(curves.margin[:, -1:], curves.clusters).answer(asked, final)


def _as_fraction(layer: Answer, layers: int) -> Answer:
    if isinstance(layer, str):
        return f"as for crystallization_layer: {layer}"
    ends = {name: (getattr(layer, name) + 1) / layers for name in ("value", "lo", "hi")}
    return layer.model_copy(update=ends)


def _recrossing_share(curves: Curves) -> float | None:
    again = [first_crossing(margin) != last_crossing(margin) for margin in curves.margin if margin[-1] != 0]
    return float(np.mean(again)) if again else None


def _last_crossings(parts: Mapping[str, Curves]) -> dict[str, int]:
    """The layer from which on each part's mean margin stays at half its final value or above.

    A number that is shown and decides nothing: a study that it could void would be one whose outcome it could pick.
    """
    last = {suffix: last_crossing(part.margin.mean(axis=0)) for suffix, part in parts.items()}
    return {f"last_crossing_layer{suffix}": layer for suffix, layer in last.items() if layer is not None}


def _depths(curves: Curves) -> dict[str, int]:
    """How many pairs first cross at each layer, and last; those whose final margin is 0 cross nowhere."""
    found: dict[str, int] = {"layers": curves.layers, "without_final_margin": int((curves.margin[:, -1] == 0).sum())}
    for name, crossing in (("first_crossing", first_crossing), ("last_crossing", last_crossing)):
        at = Counter(depth for margin in curves.margin if (depth := crossing(margin)) is not None)
        found |= {f"{name}.{layer}": at[layer] for layer in range(-1, curves.layers) if at[layer]}
    return found
