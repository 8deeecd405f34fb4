"""Activation patching: one component's output in one run replaced by its output in the other run of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from workers.models.pairs import TokenText, common_prefix
from workers.models.reading import Edit, Reading, refuse_not_finite, score
from workers.models.sites import Sites

Alignment = Literal["end", "start"]
Positions = Literal["all", "response", "last"]
State = Literal["ok", "unreachable", "unreachable_window", "identical"]

SAME = 1e-6
TOKENS_A_FORWARD = 16_384


@dataclass(frozen=True)
class Patch:
    """What patching a component did to the score of one text: score after less score before, and whether it could."""

    change: float
    state: State


def source_index(patched: TokenText, source: TokenText, alignment: Alignment, positions: Positions) -> Tensor:
    """(T,) for the T tokens of `patched`: the position in `source` that each takes its value from, -1 for none.

    `start` aligns index by index. `end` aligns what follows the common token prefix from the last token backwards,
    the last token at least. The common prefix, identical in both runs, is left alone.
    """
    length, other = len(patched.ids), len(source.ids)
    prefix = common_prefix(patched.ids, source.ids)
    index = torch.arange(length)
    first = {"all": 0, "response": patched.response, "last": length - 1}[positions]
    if alignment == "start":
        taken = (index >= max(first, prefix)) & (index < other)
        return torch.where(taken, index, -1)
    aligned = max(1, min(length, other) - prefix)
    taken = index >= max(first, length - aligned)
    return torch.where(taken, index + other - length, -1)


def patch_every_component(
    sites: Sites, ids: Tensor, clean: Reading, source: Reading, index: Tensor
) -> list[list[Patch]]:
    """For each of B texts, a Patch for each component in the order of `sites.components`.

    `ids` (B, T) and `clean` are the texts to be patched, `source` the same pairs' other texts, `index` (B, T) as
    `source_index` gives it. The patched variants are rows of one batch, or of several where they are many. Raises
    `RefusalError` ("not_finite") that names the first component whose patch gives a NaN or Inf.
    """
    names = list(sites.components)
    at_once = max(1, TOKENS_A_FORWARD // ids.numel())
    chunks = [names[first : first + at_once] for first in range(0, len(names), at_once)]
    patched = torch.cat([patch_together(sites, ids, chunk, source, index) for chunk in chunks])
    refuse_not_finite({f"Patching {name}": scores for name, scores in zip(names, patched, strict=True)})
    changes = (patched.double() - clean.scores.double()).tolist()
    states = [_states(sites, name, clean, source, index) for name in names]
    return [
        [_patch(by_text[text], state[text]) for by_text, state in zip(changes, states, strict=True)]
        for text in range(len(ids))
    ]


def patch_together(sites: Sites, ids: Tensor, names: Sequence[str], source: Reading, index: Tensor) -> Tensor:
    """The scores (C, B) with each of the C named components patched alone."""
    batch = len(ids)
    edits = {
        name: _replace(slice(number * batch, (number + 1) * batch), source.outputs[name], index)
        for number, name in enumerate(names)
    }
    return score(sites, ids.repeat(len(names), 1), edits).view(len(names), batch)


def _patch(change: float, state: State) -> Patch:
    """A cell that cannot reach the score has changed nothing, whatever rounding in another batch suggests."""
    return Patch(0.0 if state in {"unreachable", "unreachable_window"} else change, state)


def _replace(rows: slice, source: Tensor, index: Tensor) -> Edit:
    def edit(output: Tensor) -> Tensor:
        changed = output.clone()
        changed[rows] = _taken(output[rows], source, index)
        return changed

    return edit


def _taken(output: Tensor, source: Tensor, index: Tensor) -> Tensor:
    """`output` (B, T, D) with the values of `source` (B, S, D) where `index` (B, T) names one."""
    where = index.clamp(min=0).unsqueeze(-1).expand_as(output)
    return torch.where((index >= 0).unsqueeze(-1), source.gather(1, where), output)


def _states(sites: Sites, name: str, clean: Reading, source: Reading, index: Tensor) -> list[State]:
    layer = int(name.rpartition("L")[2])
    output = clean.outputs[name]
    distance = (_taken(output, source.outputs[name], index) - output).abs().amax((1, 2))
    same = (distance <= SAME * output.abs().amax((1, 2))).tolist()
    return [
        reach if reach != "ok" else "identical" if same[text] else "ok"
        for text, reach in enumerate(reachable(index_of_text, sites.windows[layer + 1 :]) for index_of_text in index)
    ]


def reachable(index: Tensor, windows: Sequence[int | None]) -> Literal["ok", "unreachable", "unreachable_window"]:
    """Whether a patch of the positions in `index` (T,) can reach the last token through attention layers after it.

    `windows` are the attention windows of those layers: w tokens let a position be seen w - 1 further on.
    """
    patched = torch.nonzero(index >= 0)
    if not len(patched):
        return "unreachable"
    gap = len(index) - 1 - int(patched.max())
    if gap == 0:
        return "ok"
    if not windows:
        return "unreachable"
    if any(window is None for window in windows):
        return "ok"
    return "ok" if sum(window - 1 for window in windows if window is not None) >= gap else "unreachable_window"
