"""What replacing each component's output in one run of a pair by its output in the other does to the reward.

What is measured, and how it is estimated: docs/instruments/patch_grid.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.absent_components import absent_components
from claims.instruments.answers import Answer, Asked, estimated
from claims.instruments.calibrated_rankings import PATCHING
from claims.instruments.grid import LEFT_OUT, Patched, patched
from claims.instruments.manifest import Cost, Manifest, Metric, Row
from claims.instruments.minimums import COUNTED, MEAN, RATIO, TOP_MOVES, by_metric
from claims.instruments.pair_blocks import MODEL_KINDS, plan
from claims.instruments.params import completed
from claims.instruments.patch_effects import TopComponent, mean_effects, moves
from claims.instruments.patching_cost import cost_of_patching
from claims.instruments.patching_params import patching
from claims.registration.model import Registration
from claims.seeds import Seeds

__all__ = ["MANIFEST", "cost", "estimate", "plan"]

PARAMS: Mapping[str, Any] = MappingProxyType(
    {"type": "object", "additionalProperties": False, "properties": dict(patching(heads=True, both=True))}
)
DIRECTIONS = ("noising", "denoising")
BOTH = MappingProxyType({"direction": ("both",)})

MANIFEST = Manifest(
    name="patch_grid",
    version="1",
    title="Patch grid",
    summary=(
        "Every component's output (or every head's) in one run of a preference pair is replaced by its output in the "
        "other run, one at a time, and the model rerun: the change of the reward, towards the other run, is the "
        "effect. Each component's mean effect is estimated over clusters of pairs, with delete-one-cluster "
        "jackknife-t intervals. Cells whose patch cannot reach the score, or replaces a value by itself, are zero by "
        "construction: they are counted, their share is reported for each component, and they are in no mean."
    ),
    params=PARAMS,
    metrics=(
        Metric(
            "mean_effect.<component>",
            "mean effect of patching the component over the pairs where the patch could act; with direction both, "
            "over the cells of either direction",
            unit="reward",
        ),
        Metric(
            "mean_effect_noising.<component>",
            "the same of the chosen run patched from the rejected one, measured beside the other with direction both",
            unit="reward",
            needs=BOTH,
        ),
        Metric(
            "mean_effect_denoising.<component>",
            "the same of the rejected run patched from the chosen one, measured beside the other with direction both",
            unit="reward",
            needs=BOTH,
        ),
        Metric(
            "moves.<component>",
            "|mean effect| of patching the component over the pairs where the patch could act",
            unit="of the mean margin of those pairs",
            low=0,
        ),
        Metric(
            "top_moves",
            "effect of the component with the largest |mean effect|, chosen from all clusters but one and read off "
            "that one, in the sign it had in the others; below 0 where what is chosen does not hold up",
            unit="of the mean margin",
            statistic="chosen",
        ),
        Metric(
            "unreachable_share.<component>",
            "share of the component's cells whose patch cannot reach the score, for no later layer or no sliding "
            "window carries it to the last token: their effect is zero by construction",
            low=0,
            high=1,
            exact=True,
        ),
    ),
    gauge="covariant",
    access=("weights", "activations"),
    capabilities=("scores", "activations"),
    model_kinds=MODEL_KINDS,
    dataset_kinds=("pairs",),
    sampling=("pairs",),
    unit="cluster",
    intervals=by_metric(
        {
            **dict.fromkeys(
                ("mean_effect.<component>", "mean_effect_noising.<component>", "mean_effect_denoising.<component>"),
                MEAN,
            ),
            "moves.<component>": RATIO,
            "top_moves": TOP_MOVES,
            "unreachable_share.<component>": COUNTED,
        }
    ),
    components=MappingProxyType({"component": ("attn", "mlp"), "head": ("head",)}),
    calibrations=(PATCHING,),
)


def cost(registration: Registration, pairs_per_dimension: Mapping[str, int]) -> Cost:
    """For a small model of 4 layers on one core; a model's own size is known once it is loaded."""
    return cost_of_patching(registration, completed(PARAMS, registration.instrument.params), pairs_per_dimension)


def estimate(rows: Iterable[Row], registration: Registration, seeds: Seeds) -> Estimated:
    """Every metric of every component over all dimensions; what is undefined or has too few clusters is named."""
    asked = Asked.by(registration, MANIFEST, seeds)
    laid = patched(rows)
    first = TopComponent.of(laid)
    answers: dict[str, Answer] = dict(_of_components(laid, asked))
    answers["top_moves"] = first.answer(asked)
    answers |= absent_components(answers, registration, "patched")
    return Estimated(
        estimates={name: answer for name, answer in answers.items() if isinstance(answer, Estimate)},
        diagnostics={},
        not_measured={name: answer for name, answer in answers.items() if isinstance(answer, str)},
        counts={
            **_counts(laid),
            **{f"top.{component}": times for component, times in sorted(first.contenders().times().items())},
        },
    )


def _of_components(laid: Patched, asked: Asked) -> Iterator[tuple[str, Answer]]:
    yield from mean_effects(laid, asked, "mean_effect")
    yield from moves(laid, asked)
    for component, share in _unreachable_shares(laid, asked.level):
        yield f"unreachable_share.{component}", share
    both = len(set(laid.directions)) == len(DIRECTIONS)
    for direction in DIRECTIONS:
        if not both:
            yield f"mean_effect_{direction}.<component>", "one direction was measured alone: mean_effect is of it"
            continue
        yield from mean_effects(laid.in_direction(direction), asked, f"mean_effect_{direction}")


def _unreachable_shares(laid: Patched, level: float) -> Iterator[tuple[str, Estimate]]:
    """Counted over every cell measured, not estimated."""
    for component, cells in zip(laid.components, laid.cells_in("unreachable", "unreachable_window"), strict=True):
        share = float(cells) / len(laid.pairs)
        yield component, estimated(share, (share, share), level, laid.clusters, "exact")


def _counts(laid: Patched) -> dict[str, int]:
    """By component, where there are any, the cells left out; `components_left_out` are those that never acted."""
    acted = int(laid.joined.any(axis=0).sum())
    by_component = {
        f"{state}.{laid.components[place]}": int(cells)
        for state in LEFT_OUT
        for place, cells in enumerate(laid.cells_in(state))
        if cells
    }
    return {
        "pairs": len(set(laid.pairs)),
        "clusters": len(set(laid.clusters)),
        "components": acted,
        "components_left_out": len(laid.components) - acted,
        "negative_margins": laid.negative_margins,
        "cells": int(np.size(laid.state)),
        **{state: laid.states[state] for state in LEFT_OUT},
        **by_component,
    }
