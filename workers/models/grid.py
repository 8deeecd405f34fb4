"""Every patch of a text, exactly, without running again what no patch can change.

A patch in layer k changes nothing before it, and nothing at earlier tokens than the first that it replaces. Each
patched variant is therefore a row that begins in its own layer, at that token, over the clean run's keys and values;
in the last layer the last token alone is computed. Rows are run together in chunks whose memory is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy, Block
from workers.models.forward import Layer, run_attention
from workers.models.geometry import Geometry
from workers.models.patching import Patching, Site

FLOAT_BYTES = 4
# More tokens at once fall out of a core's cache and gain nothing.
TOKENS_AT_ONCE = 2_048
FREE_SHARE = 0.8


@dataclass(frozen=True)
class Grid:
    """The rewards (C, B) of C sites patched one at a time, and how many tokens went through a layer for them."""

    scores: Tensor
    token_layers: int


def patch_each(anatomy: Anatomy, sites: Sequence[Site], patching: Patching, budget: int) -> Grid:
    """Patch each of the sites, given layer by layer, in chunks that take at most `budget` bytes, one site at least."""
    if not sites:
        return Grid(patching.clean.scores.new_empty(0, len(patching.index)), 0)
    at_once = _at_once(anatomy, patching, budget)
    device, length = anatomy.direction.device, patching.clean.length
    at = torch.arange(patching.start, length, device=device)
    geometry = Geometry.of(anatomy, at, torch.arange(patching.start, device=device))
    chunks = [
        grid
        for first in range(0, len(sites), at_once)
        for grid in _patched(_Chunk(anatomy, geometry, patching, sites[first : first + at_once]))
    ]
    return Grid(torch.cat([grid.scores for grid in chunks]), sum(grid.token_layers for grid in chunks))


def _patched(chunk: _Chunk) -> list[Grid]:
    """The chunk's grid, or those of its halves where a GPU has less memory than was thought."""
    try:
        return [Grid(chunk.scores(), chunk.token_layers)]
    except torch.OutOfMemoryError:
        if len(chunk.sites) == 1:
            raise
        return [grid for half in chunk.halves() for grid in _patched(half)]


def bytes_a_site(anatomy: Anatomy, patching: Patching) -> int:
    """Bounds the memory of one site's row in the layer that takes most: what is alive at once, at four bytes."""
    length, tokens = patching.clean.length, patching.clean.length - patching.start
    width, heads = anatomy.direction.shape[0], max(block.heads for block in anatomy.blocks)
    inner = max(max(weight.shape) for weight in anatomy.layers[0].parameters())
    said = max(layer.heads.shape[-1] for layer in patching.clean.layers)
    keys = max(layer.past.keys[0, :, 0].numel() for layer in patching.clean.layers)
    logits = 4 * heads * length if any(block.softcap is not None for block in anatomy.blocks) else 0
    a_token = 8 * width + 6 * said + 3 * inner + logits
    return FLOAT_BYTES * len(patching.index) * (tokens * a_token + 4 * keys * length)


def _at_once(anatomy: Anatomy, patching: Patching, budget: int) -> int:
    tokens = len(patching.index) * max(1, patching.clean.length - patching.start)
    fitting = budget // max(1, bytes_a_site(anatomy, patching))
    if anatomy.direction.device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(anatomy.direction.device)
        return max(1, min(fitting, int(FREE_SHARE * free) // bytes_a_site(anatomy, patching)))
    return max(1, min(fitting, TOKENS_AT_ONCE // tokens))


class _Chunk:
    """Consecutive sites, whose rows (V, B, S, D) join as the layers reach them."""

    def __init__(self, anatomy: Anatomy, geometry: Geometry, patching: Patching, sites: Sequence[Site]) -> None:
        self.anatomy, self.geometry, self.patching, self.sites = anatomy, geometry, patching, sites
        self.at = geometry.at
        self.token_layers = 0

    def halves(self) -> tuple[_Chunk, _Chunk]:
        middle = len(self.sites) // 2
        parts = (self.anatomy, self.geometry, self.patching)
        return _Chunk(*parts, self.sites[:middle]), _Chunk(*parts, self.sites[middle:])

    def scores(self) -> Tensor:
        """The rewards (V, B)."""
        anatomy, final = self.anatomy, self.patching.clean.final
        rows = final.new_empty(0, len(final), len(self.at), final.shape[-1])
        for index in range(self.sites[0].layer, len(anatomy.blocks)):
            rows = self._through(index, rows, last=index == len(anatomy.blocks) - 1)
        return anatomy.reward(rows[:, :, -1])

    def _through(self, index: int, rows: Tensor, *, last: bool) -> Tensor:
        """The rows after layer `index`, of the last layer the last token alone, with those of its sites behind them."""
        block, clean = self.anatomy.blocks[index], self.patching.clean.layers[index]
        asking, before = (self.at[-1:], rows[:, :, -1:]) if last else (self.at, rows)
        kept = slice(-len(asking), None)
        entering, attention, mlp = (value[:, kept] for value in (clean.entering, clean.attention, clean.mlp))
        added = torch.cat([self._attended(block, clean, rows, last=last), *self._attention(index, block, asking)])
        reading = torch.cat([before, entering.expand(len(added) - len(before), *entering.shape)])
        written = reading + added
        fed = block.fed_forward(before if block.parallel else written)
        if block.parallel:
            fed = torch.cat([fed, mlp.expand(len(added) - len(before), *mlp.shape)])
        self.token_layers += (len(before) if block.parallel else len(written)) * entering.shape[0] * len(asking)
        patched = [entering + attention + said for said in self._mlps(index, asking)]
        return torch.cat([written + fed, *patched])

    def _attended(self, block: Block, clean: Layer, rows: Tensor, *, last: bool) -> Tensor:
        if not len(rows):
            return rows[:, :, -1:] if last else rows
        slots = torch.tensor([len(self.at) - 1], device=self.at.device) if last else None
        heads, _ = run_attention(block, rows, clean.before(self.patching.start), self.geometry, slots)
        return block.attended(block.mix(heads))

    def _attention(self, index: int, block: Block, at: Tensor) -> Iterator[Tensor]:
        """What attention adds (V, B, S, D) where it, or a head of it, is patched."""
        for kind, alike in groupby((s for s in self.sites if s.layer == index), key=lambda site: site.kind):
            own, patched = self.patching.values(index, kind, at) if kind != "mlp" else (at, at)
            if kind == "attention":
                yield patched[:, :, 0].unsqueeze(0)
            elif kind == "heads":
                chosen = [site.head for site in alike]
                difference = (patched - own)[:, :, chosen].permute(2, 0, 1, 3).flatten(1, 2)
                mixed = (difference @ block.mix_weight()[chosen]).view(len(chosen), *own.shape[:2], -1)
                yield block.attended(block.mix(own.flatten(2)) + mixed)

    def _mlps(self, index: int, at: Tensor) -> Iterator[Tensor]:
        for site in self.sites:
            if site.layer == index and site.kind == "mlp":
                yield self.patching.values(index, "mlp", at)[1][:, :, 0].unsqueeze(0)
