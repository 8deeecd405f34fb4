"""Causal attention of many rows over keys and values that they share and some of their own."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from workers.models.anatomy import Block
from workers.models.geometry import Geometry

# Passes over the logits that attention takes when it is spelled out.
PASSES = 6


@dataclass(frozen=True)
class Past:
    """Keys and values (B, G, P, d), rotated, of P tokens of B texts."""

    keys: Tensor
    values: Tensor

    def at(self, slots: Tensor | slice) -> Past:
        return Past(self.keys[:, :, slots], self.values[:, :, slots])


@dataclass(frozen=True)
class Asked:
    """Queries (V, B, S, H, d) of V rows of each of B texts, and each row's own keys and values (V, B, R, G, d)."""

    queries: Tensor
    keys: Tensor
    values: Tensor


def attend(block: Block, asked: Asked, past: Past, geometry: Geometry) -> Tensor:
    """The heads' joined outputs (V, B, S, H d): all rows see their text's `past` (P tokens), then their own R tokens.

    `geometry` is that of the S queries and P + R keys. Logits are scaled, soft-capped where the block is, and
    normalised in float32.
    """
    rows, texts, length, heads, width = asked.queries.shape
    groups = asked.keys.shape[3]
    # Query heads that share keys stand as further queries of one head: B, G, V, S, H/G, d.
    grouped = asked.queries.view(rows, texts, length, groups, heads // groups, width).permute(1, 3, 0, 2, 4, 5)
    own = Past(asked.keys.permute(1, 3, 0, 2, 4), asked.values.permute(1, 3, 0, 2, 4))
    mask = geometry.mask(block, heads // groups, grouped)
    few = PASSES * length * heads < 2 * groups * width
    said = _spelled_out if few or block.softcap is not None else _fused
    mixed = said(block, grouped, own, past, mask)
    return mixed.permute(2, 0, 3, 1, 4, 5).reshape(rows, texts, length, heads * width)


def _spelled_out(block: Block, queries: Tensor, own: Past, past: Past, mask: Tensor) -> Tensor:
    """With what is shared as one product: for few queries a row, and for soft-capped logits."""
    before, by_row = past.keys.shape[2], queries.flatten(3, 4)
    shared = queries.flatten(2, 4) @ past.keys.transpose(-1, -2)
    shared, of_row = shared.view(*by_row.shape[:4], before), by_row @ own.keys.transpose(-1, -2)
    logits = torch.cat([shared, of_row], dim=-1) * block.scale
    if block.softcap is not None:
        logits = torch.tanh(logits / block.softcap) * block.softcap
    weights = torch.softmax(logits + mask, dim=-1, dtype=torch.float32).to(logits.dtype)
    of_past, of_own = weights[..., :before].flatten(2, 3), weights[..., before:]
    return (of_past @ past.values).view(queries.shape) + (of_own @ own.values).view(queries.shape)


def _fused(block: Block, queries: Tensor, own: Past, past: Past, mask: Tensor) -> Tensor:
    """By the library's kernel, which never writes the logits down; each row has its own copy of what is shared."""
    texts, groups, rows, length, shared, width = queries.shape
    keys, values = (
        torch.cat([old.unsqueeze(2).expand(-1, -1, rows, -1, -1), new], dim=3).transpose(1, 2).flatten(0, 1)
        for old, new in ((past.keys, own.keys), (past.values, own.values))
    )
    asked = queries.transpose(1, 2).reshape(texts * rows, groups, length * shared, width)
    said = scaled_dot_product_attention(asked, keys, values, attn_mask=mask, scale=block.scale)
    return said.view(texts, rows, groups, length, shared, width).transpose(1, 2)
