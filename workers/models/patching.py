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

WHOLE = 1 << 30  # more tokens than any text has: a past that is the same from the first token on


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


def matched(patched: TokenText, source: TokenText, index: Tensor) -> Tensor:
    """(T,) how many tokens, up to and with each, are those up to and with its counterpart; `WHOLE` where all are.

    The counterparts are those of `source_index`, which moves every position by the same.
    """
    run = [0] * len(patched.ids)
    taken = torch.nonzero(index >= 0)
    if not len(taken):
        return torch.tensor(run)
    shift = int(index[taken[0, 0]] - taken[0, 0])
    for at in range(max(0, -shift), min(len(patched.ids), len(source.ids) - shift)):
        if patched.ids[at] == source.ids[at + shift]:
            before = run[at - 1] if at else WHOLE if shift == 0 else 0
            run[at] = min(before + 1, WHOLE)
    return torch.tensor(run)


@dataclass(frozen=True)
class Patching:
    """B texts, traced, and for each the index (T,) of what it takes from the other text of its pair.

    `shared` tokens at the beginning are the same in both, and so are `matched` (B, T) up to and with each.
    """

    clean: Trace
    source: Trace
    index: Tensor
    shared: int
    matched: Tensor

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
            cell
            for (layer, kind), alike in groupby(sites, key=lambda site: (site.layer, site.kind))
            for cell in self._cells(anatomy, layer, kind, len(list(alike)))
        ]

    def _cells(self, anatomy: Anatomy, layer: int, kind: Kind, modules: int) -> Iterator[list[State]]:
        """For each module, by text: whether its patch reaches the score, and whether it changes what reaches it.

        What depends on the same tokens alone is the same, though rounding may differ with where they stand.
        """
        windows = anatomy.windows[layer + 1 :]
        reach = [reachable(index, windows) for index in self.index]
        at = self.clean.layers[layer].at
        at = at[at >= max(self.start, self.clean.length - 1 - carried(windows))]
        if not len(at):
            yield from [reach] * modules
            return
        own, patched = self.values(layer, kind, at)
        same = (self.matched[:, at] >= seen(anatomy, layer, kind))[..., None] | (patched == own).all(3)
        for alike in same.all(1).T.tolist():
            yield ["identical" if found == "ok" and equal else found for found, equal in zip(reach, alike, strict=True)]


def carried(windows: Sequence[int | None]) -> int:
    """How many positions further on attention layers of these windows carry what a token holds."""
    return WHOLE if None in windows else sum(window - 1 for window in windows if window is not None)


def seen(anatomy: Anatomy, layer: int, kind: Kind) -> int:
    """How many tokens, its own included, what a module says at a position depends on; `WHOLE` for all before it."""
    beside = kind == "mlp" and anatomy.blocks[layer].parallel
    return min(WHOLE, 1 + carried(anatomy.windows[: layer if beside else layer + 1]))


def reachable(index: Tensor, windows: Sequence[int | None]) -> State:
    """Whether a patch of the positions in `index` (T,) can reach the last token through attention layers after it.

    `windows` are the attention windows of those layers: w tokens let a position be seen w - 1 further on.
    """
    patched = torch.nonzero(index >= 0)
    if not len(patched):
        return "unreachable"
    gap = len(index) - 1 - int(patched.max())
    if gap <= carried(windows):
        return "ok"
    return "unreachable_window" if windows else "unreachable"
