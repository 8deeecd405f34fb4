"""Which positions of which components a patch replaces, by what, and whether it can act at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy
from workers.models.forward import Kind, Trace
from workers.models.pairs import TokenText, common_prefix

Granularity = Literal["component", "head"]
Alignment = Literal["end", "start"]
Positions = Literal["all", "response", "last"]
Direction = Literal["noising", "denoising"]
State = Literal["ok", "unreachable", "unreachable_window", "identical"]

SAME = 1e-6


@dataclass(frozen=True)
class Site:
    """What is patched: a layer's attention, its MLP, or one of its heads before they are mixed."""

    name: str
    layer: int
    kind: Kind
    head: int = 0


def sites_of(anatomy: Anatomy, granularity: Granularity) -> tuple[Site, ...]:
    """Every site, layer by layer, attention before MLP."""
    if granularity == "head":
        return tuple(
            Site(f"head_L{layer}_H{head}", layer, "heads", head)
            for layer, block in enumerate(anatomy.blocks)
            for head in range(block.heads)
        )
    kinds: tuple[tuple[str, Kind], ...] = (("attn", "attention"), ("mlp", "mlp"))
    return tuple(Site(f"{word}_L{layer}", layer, kind) for layer in range(len(anatomy.blocks)) for word, kind in kinds)


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


@dataclass(frozen=True)
class Patching:
    """B texts, traced, and for each the index (T,) of what it takes from the other text of its pair.

    `shared` tokens at the beginning are the same in both.
    """

    clean: Trace
    source: Trace
    index: Tensor
    shared: int

    @property
    def start(self) -> int:
        """The first position that any patch replaces, T where none does."""
        patched = torch.nonzero((self.index >= 0).any(0))
        return int(patched[0]) if len(patched) else self.clean.length

    def floor(self, sites: Sequence[Site]) -> int:
        """The fewest tokens that must go through a layer to patch each of the sites."""
        layers, differing = len(self.clean.layers), self.clean.length - self.shared
        return len(self.index) * sum((layers - 1 - site.layer) * differing + 1 for site in sites)

    def values(self, layer: int, kind: Kind, at: Tensor) -> tuple[Tensor, Tensor]:
        """What the layer's N modules of a kind say (B, S, N, W) at positions `at` (S,), as is and patched."""
        clean, source = self.clean.layers[layer], self.source.layers[layer]
        index = self.index[:, at]
        own = clean.said(kind)[:, torch.searchsorted(clean.at, at)]
        slots = torch.searchsorted(source.at, index.clamp(min=int(source.at[0]), max=int(source.at[-1])))
        taken = source.said(kind).gather(1, slots[..., None, None].expand(*slots.shape, *own.shape[2:]))
        return own, torch.where((index >= 0)[..., None, None], taken, own)

    def states(self, anatomy: Anatomy, sites: Sequence[Site]) -> list[list[State]]:
        """For each site, in order, and each text, whether the patch can act."""
        return [
            [found if found != "ok" else "identical" if equal else "ok" for found, equal in zip(*cell, strict=True)]
            for (layer, kind), alike in groupby(sites, key=lambda site: (site.layer, site.kind))
            for cell in self._cells(anatomy, layer, kind, len(list(alike)))
        ]

    def _cells(
        self, anatomy: Anatomy, layer: int, kind: Kind, modules: int
    ) -> Iterator[tuple[list[State], list[bool]]]:
        """For each module, by text: whether its patch reaches the score, and whether it changes nothing."""
        reach = [reachable(index, anatomy.windows[layer + 1 :]) for index in self.index]
        at = self.clean.layers[layer].at
        own, patched = self.values(layer, kind, at[at >= self.start])
        if own.shape[1]:
            same = ((patched - own).abs().amax((1, 3)) <= SAME * own.abs().amax((1, 3))).T.tolist()
        else:  # nothing is patched, which is told as unreachable
            same = [[True] * len(self.index)] * modules
        return ((reach, of_module) for of_module in same)


def reachable(index: Tensor, windows: Sequence[int | None]) -> State:
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
