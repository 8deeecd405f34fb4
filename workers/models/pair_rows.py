"""Preference pairs measured on a model: rows of kind score, attribution and patch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import torch
from torch import Tensor

from workers.models.attribution import contributions
from workers.models.pairs import TokenPair, TokenText
from workers.models.patching import (
    TOKENS_A_FORWARD,
    Alignment,
    Patch,
    Positions,
    patch_every_component,
    source_index,
)
from workers.models.reading import read
from workers.models.sites import Sites

Row = dict[str, Any]


@dataclass(frozen=True)
class PatchPlan:
    """`noising` replaces in the chosen run what the rejected run had, `denoising` the reverse."""

    alignment: Alignment
    positions: Positions
    direction: Literal["noising", "denoising"]

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> PatchPlan:
        return cls(params["alignment"], params["positions"], params["direction"])


def forwards(sites: Sites, pairs: int) -> int:
    """How many texts go through the model to measure so many pairs."""
    return pairs * (2 + len(sites.components))


def pair_rows(sites: Sites, pairs: Sequence[TokenPair], plan: PatchPlan) -> Iterator[list[Row]]:
    """The rows of each pair, in the order of `pairs`.

    Neighbours of the same lengths are measured together; nothing is ever padded. Raises `RefusalError` when a
    value is not finite or the attribution of a text is not complete.
    """
    for block in _blocks(sites, pairs):
        yield from _measure(sites, block, plan)


def _blocks(sites: Sites, pairs: Sequence[TokenPair]) -> Iterator[list[TokenPair]]:
    for lengths, alike in groupby(pairs, key=lambda pair: (len(pair.chosen.ids), len(pair.rejected.ids))):
        size = max(1, TOKENS_A_FORWARD // (max(lengths) * len(sites.components)))
        block = list(alike)
        yield from (block[first : first + size] for first in range(0, len(block), size))


def _measure(sites: Sites, pairs: Sequence[TokenPair], plan: PatchPlan) -> Iterator[list[Row]]:
    texts = {"chosen": [pair.chosen for pair in pairs], "rejected": [pair.rejected for pair in pairs]}
    ids = {side: torch.tensor([text.ids for text in texts[side]]) for side in texts}
    readings = {side: read(sites, ids[side]) for side in texts}
    parts = {side: contributions(sites, readings[side]) for side in texts}
    patched, source = ("chosen", "rejected") if plan.direction == "noising" else ("rejected", "chosen")
    index = _indices(texts[patched], texts[source], plan)
    patches = patch_every_component(sites, ids[patched], readings[patched], readings[source], index)
    for number, pair in enumerate(pairs):
        scores = {side: float(reading.scores[number]) for side, reading in readings.items()}
        at = {"pair_id": pair.id, "dimension": pair.dimension, "cluster": pair.cluster}
        yield [
            *_score_rows(at, pair, scores),
            *_attribution_rows(at, parts, number),
            *_patch_rows(at, sites.components, patches[number], plan, scores["chosen"] - scores["rejected"]),
        ]


def _indices(patched: Iterable[TokenText], source: Iterable[TokenText], plan: PatchPlan) -> Tensor:
    return torch.stack(
        [source_index(a, b, plan.alignment, plan.positions) for a, b in zip(patched, source, strict=True)]
    )


def _score_rows(at: Row, pair: TokenPair, scores: Mapping[str, float]) -> Iterator[Row]:
    for side, text in (("chosen", pair.chosen), ("rejected", pair.rejected)):
        yield {"kind": "score", **at, "side": side, "score": scores[side], "tokens": len(text.ids)}


def _attribution_rows(at: Row, parts: Mapping[str, Mapping[str, Tensor]], number: int) -> Iterator[Row]:
    for component, of_chosen in parts["chosen"].items():
        chosen, rejected = float(of_chosen[number]), float(parts["rejected"][component][number])
        values = {"chosen": chosen, "rejected": rejected, "differential": chosen - rejected}
        yield {"kind": "attribution", **at, "component": component, **values}


def _patch_rows(
    at: Row, components: Iterable[str], patches: Sequence[Patch], plan: PatchPlan, margin: float
) -> Iterator[Row]:
    """Effect is r_chosen - r_patched when noising, r_patched - r_rejected when denoising: towards the other run."""
    sign = -1 if plan.direction == "noising" else 1
    for component, patch in zip(components, patches, strict=True):
        values = {"effect": sign * patch.change, "state": patch.state, "direction": plan.direction, "margin": margin}
        yield {"kind": "patch", **at, "component": component, **values}
