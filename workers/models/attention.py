"""Causal attention of many rows over keys and values that they share and some of their own."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from workers.models.anatomy import Block, Rotation


@dataclass(frozen=True)
class Past:
    """Keys and values (B, G, P, d), rotated, of the first P tokens of B texts."""

    keys: Tensor
    values: Tensor

    def before(self, position: int) -> Past:
        return Past(self.keys[:, :, :position], self.values[:, :, :position])

    def then(self, keys: Tensor, values: Tensor) -> Past:
        """With those (B, G, R, d) of the tokens that follow."""
        return Past(torch.cat([self.keys, keys], dim=2), torch.cat([self.values, values], dim=2))


def attend(block: Block, queries: Tensor, keys: Tensor, values: Tensor, *, past: Past, seen: Tensor) -> Tensor:
    """The heads' joined outputs (V, B, S, H d) for queries (V, B, S, H, d).

    V rows of each of B texts share its `past`; keys and values (V, B, R, G, d) are each row's own, of the positions
    that follow. `seen` (S, P + R) says which keys a query's position sees. Logits are scaled, soft-capped where the
    block is, and normalised in float32.
    """
    rows, texts, length, heads, width = queries.shape
    groups, before = keys.shape[3], past.keys.shape[2]
    grouped = queries.view(rows, texts, length, groups, heads // groups, width)
    grouped = grouped.permute(1, 3, 0, 2, 4, 5)  # B, G, V, S, H/G, d
    by_text, by_row = grouped.flatten(2, 4), grouped.flatten(3, 4)
    shared = by_text @ past.keys.transpose(-1, -2)
    own = by_row @ keys.permute(1, 3, 0, 4, 2)
    shape = (texts, groups, rows, length, heads // groups)
    logits = torch.cat([shared.view(*shape, before), own.view(*shape, own.shape[-1])], dim=-1)
    weights = _normalised(block, logits, seen)
    of_past, of_own = weights[..., :before].flatten(2, 4), weights[..., before:].flatten(3, 4)
    mixed = (of_past @ past.values).view(*shape, width) + (of_own @ values.permute(1, 3, 0, 2, 4)).view(*shape, width)
    return mixed.permute(2, 0, 3, 1, 4, 5).reshape(rows, texts, length, heads * width)


def _normalised(block: Block, logits: Tensor, seen: Tensor) -> Tensor:
    logits = logits * block.scale
    if block.softcap is not None:
        logits = torch.tanh(logits / block.softcap) * block.softcap
    logits = logits.masked_fill(~seen.unsqueeze(1), float("-inf"))
    return torch.softmax(logits, dim=-1, dtype=torch.float32).to(logits.dtype)


def sees(block: Block, queries: Tensor, keys: Tensor) -> Tensor:
    """(S, K): whether each query position (S,) sees each key position (K,), as the layer holds its window."""
    distance = queries.unsqueeze(1) - keys.unsqueeze(0)
    seen = distance >= 0
    return seen if block.window is None else seen & (distance < block.window)


def rotated(value: Tensor, rotation: Rotation | None) -> Tensor:
    """Queries or keys (…, S, N, d) turned by cosines and sines (S, r) in their first r dimensions; as they are without.

    RoFormer's rotation (Su et al. 2021) in the layout that all families here share: dimension i goes with i + r/2.
    """
    if rotation is None:
        return value
    cos, sin = (part.unsqueeze(1) for part in rotation)
    turned, kept = value[..., : cos.shape[-1]], value[..., cos.shape[-1] :]
    first, second = turned.chunk(2, dim=-1)
    turned = turned * cos + torch.cat([-second, first], dim=-1) * sin
    return torch.cat([turned, kept], dim=-1) if kept.shape[-1] else turned
