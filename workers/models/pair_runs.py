"""Preference pairs run through a model: both texts traced, every patch that is asked for made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy
from workers.models.forward import Trace, trace
from workers.models.pairs import TokenPair, common_prefix
from workers.models.patching import Alignment, Direction, Granularity, Patching, Positions, matched, source_index

SIDES = ("chosen", "rejected")
TOKENS_A_BLOCK = 1_024


@dataclass(frozen=True)
class PatchPlan:
    """`noising` replaces in the chosen run what the rejected run had, `denoising` the reverse."""

    granularity: Granularity
    alignment: Alignment
    positions: Positions
    directions: tuple[Direction, ...]

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> PatchPlan:
        asked = params["direction"]
        directions: tuple[Direction, ...] = ("noising", "denoising") if asked == "both" else (asked,)
        return cls(params["granularity"], params["alignment"], params["positions"], directions)


@dataclass
class Tally:
    """What was computed: texts, whole or from the patch on; tokens that went through a layer; and the fewest that do.

    `floor`: a patch needs the layers from its own on, of tokens from the first in which the texts differ, and of the
    last layer the last token.
    """

    texts: int = 0
    token_layers: int = 0
    floor: int = 0

    def patched(self, texts: int, token_layers: int, floor: int) -> None:
        self.texts += texts
        self.token_layers += token_layers
        self.floor += floor

    def facts(self) -> dict[str, int]:
        return {"forwards": self.texts, "token_layers": self.token_layers, "token_layers_floor": self.floor}


@dataclass(frozen=True)
class PairRun:
    """Pairs of the same lengths and the same length in common, run together; nothing is ever padded."""

    pairs: Sequence[TokenPair]
    traces: Mapping[str, Trace]
    patchings: Mapping[Direction, Patching] = field(default_factory=dict)


def pair_runs(
    anatomy: Anatomy,
    pairs: Sequence[TokenPair],
    plan: PatchPlan | None,
    tally: Tally,
    *,
    gradients: bool = False,
    tokens: int = TOKENS_A_BLOCK,
) -> Iterator[PairRun]:
    """The runs of the pairs, in order, in `blocks` of at most `tokens`.

    With what `gradients` of the patched texts need, where they are asked for.
    """
    for block in blocks(pairs, tokens):
        with torch.set_grad_enabled(gradients):
            run = _run(anatomy, block, plan, tally)
        yield run


def blocks(pairs: Sequence[TokenPair], tokens: int = TOKENS_A_BLOCK) -> Iterator[list[TokenPair]]:
    """The pairs that are run together: neighbours of one shape, of at most `tokens` a side, one pair at least."""
    for (_, *lengths), alike in groupby(pairs, key=_shape):
        size, block = max(1, tokens // max(lengths)), list(alike)
        yield from (block[first : first + size] for first in range(0, len(block), size))


def _shape(pair: TokenPair) -> tuple[int, int, int]:
    """How many tokens are run once for both texts, of which each has one more at least; and the texts' lengths."""
    chosen, rejected = pair.chosen.ids, pair.rejected.ids
    shared = min(common_prefix(chosen, rejected), len(chosen) - 1, len(rejected) - 1)
    return shared, len(chosen), len(rejected)


def _run(anatomy: Anatomy, pairs: Sequence[TokenPair], plan: PatchPlan | None, tally: Tally) -> PairRun:
    shared, *lengths = _shape(pairs[0])
    device = anatomy.direction.device
    ids = {side: torch.tensor([getattr(pair, side).ids for pair in pairs], device=device) for side in SIDES}
    indices = {} if plan is None else {name: _index(pairs, plan, name, device) for name in plan.directions}
    wanted = {_sides(name)[1]: _last_sources(index) for name, index in indices.items()}
    traces = trace(anatomy, ids, shared, wanted)
    layers = len(anatomy.blocks)
    through = (layers - 1) * (shared + sum(length - shared for length in lengths)) + len(lengths)
    tally.patched(2 * len(pairs), through * len(pairs), through * len(pairs))
    patchings = {
        name: Patching(traces[_sides(name)[0]], traces[_sides(name)[1]], index, shared, _matched(pairs, name, index))
        for name, index in indices.items()
    }
    return PairRun(pairs, traces, patchings)


def _sides(direction: Direction) -> tuple[str, str]:
    """The side that is patched, and the one that it is patched from."""
    return ("chosen", "rejected") if direction == "noising" else ("rejected", "chosen")


def _index(pairs: Sequence[TokenPair], plan: PatchPlan, direction: Direction, device: torch.device) -> Tensor:
    patched, source = _sides(direction)
    rows = [
        source_index(getattr(pair, patched), getattr(pair, source), plan.alignment, plan.positions) for pair in pairs
    ]
    return torch.stack(rows).to(device)


def _matched(pairs: Sequence[TokenPair], direction: Direction, index: Tensor) -> Tensor:
    patched, source = _sides(direction)
    rows = [
        matched(getattr(pair, patched), getattr(pair, source), of) for pair, of in zip(pairs, index.cpu(), strict=True)
    ]
    return torch.stack(rows).to(index.device)


def _last_sources(index: Tensor) -> list[int]:
    """The positions from which last tokens take what they are patched with: the last layer must know them."""
    return sorted({position for position in index[:, -1].tolist() if position >= 0})
