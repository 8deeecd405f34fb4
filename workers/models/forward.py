"""A reward model's forward over the texts of a pair, with everything kept that patching and attribution read.

The two texts of a pair share their beginning: it is run once, and both go on from its keys and values. In the last
block nothing but the tokens asked for is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy, Block, Rotation
from workers.models.attention import Past, attend, rotated, sees

Kind = Literal["attention", "heads", "mlp"]


@dataclass(frozen=True)
class Layer:
    """What a block did to B texts of T tokens, at the positions `at` (S,), in order.

    `entering` (B, S, D) is the stream that attention read, `heads` (B, S, H d) what its heads said before they were
    mixed, `attention` and `mlp` (B, S, D) what was added; `past` holds keys and values of all T positions.
    """

    at: Tensor
    entering: Tensor
    heads: Tensor
    attention: Tensor
    mlp: Tensor
    past: Past

    def said(self, kind: Kind) -> Tensor:
        """What the modules of this kind said (B, S, N, W): one attention or MLP, or every query head."""
        if kind == "heads":
            width = self.past.values.shape[-1]
            return self.heads.view(*self.heads.shape[:2], self.heads.shape[2] // width, width)
        return (self.attention if kind == "attention" else self.mlp).unsqueeze(2)


@dataclass(frozen=True)
class Trace:
    """B texts of T tokens each: their layers, the last token's stream after the last (B, D), and rewards (B,)."""

    length: int
    layers: tuple[Layer, ...]
    final: Tensor
    scores: Tensor

    def stream(self) -> Tensor:
        """The residual stream (L + 1, B, D) at the last token: after the embedding and after every layer."""
        return torch.stack([*(layer.entering[:, -1] for layer in self.layers), self.final])

    def said(self) -> dict[str, Tensor]:
        """What was added to the stream, by component, the embedding and the score with it."""
        said = {"embed": self.layers[0].entering}
        for index, layer in enumerate(self.layers):
            said |= {f"attn_L{index}": layer.attention, f"mlp_L{index}": layer.mlp}
        return {**said, "score": self.scores}


@dataclass(frozen=True)
class Run:
    """A model with the texts' rotations for all of their T positions at hand."""

    anatomy: Anatomy
    rotations: dict[str, Rotation]

    @classmethod
    def over(cls, anatomy: Anatomy, length: int) -> Run:
        like, positions = anatomy.direction, torch.arange(length, device=anatomy.direction.device)
        return cls(anatomy, dict(anatomy.rotations(like, positions)))

    def attention(
        self, block: Block, stream: Tensor, past: Past, at: Tensor, asking: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What the heads say (V, B, A, H d) at the slots `asking` (A,) of a stream (V, B, S, D), and keys and values.

        `at` (S,) are the stream's positions, which follow those of `past`.
        """
        queries, keys, values = block.queries(stream)
        keys = rotated(keys, self._rotation(block, at))
        asked = at[asking]
        queries = rotated(queries[:, :, asking], self._rotation(block, asked))
        before = torch.arange(past.keys.shape[2], device=at.device)
        heads = attend(block, queries, keys, values, past=past, seen=sees(block, asked, torch.cat([before, at])))
        return heads, keys, values

    def _rotation(self, block: Block, at: Tensor) -> Rotation | None:
        rotation = self.rotations.get(block.rotary)
        return None if rotation is None else (rotation[0][at], rotation[1][at])


def prefill(anatomy: Anatomy, ids: Tensor) -> list[Past]:
    """Keys and values of every block for what texts begin with, ids (B, P)."""
    nothing = [_nothing(block, anatomy, len(ids)) for block in anatomy.blocks]
    return [layer.past for layer, _ in _layers(anatomy, ids, nothing, [])] if ids.shape[1] else nothing


def trace(anatomy: Anatomy, ids: Tensor, pasts: Sequence[Past], wanted: Sequence[int] = ()) -> Trace:
    """The trace of ids (B, T) whose first tokens, the same for these texts as for those of `pasts`, have been run.

    Positions from there on are kept; of the last block the last token, and the positions `wanted` of it.
    """
    layers = []
    for layer, after in _layers(anatomy, ids, pasts, sorted({*wanted, ids.shape[1] - 1})):
        layers.append(layer)
        stream = after
    final = stream[:, -1]
    return Trace(ids.shape[1], tuple(layers), final, anatomy.reward(final))


def _layers(
    anatomy: Anatomy, ids: Tensor, pasts: Sequence[Past], wanted: Sequence[int]
) -> Iterator[tuple[Layer, Tensor]]:
    """Each block's layer and the stream (B, S, D) after it; of the last block at the positions `wanted` alone."""
    length, first = ids.shape[1], pasts[0].keys.shape[2]
    run = Run.over(anatomy, length)
    at = torch.arange(first, length, device=ids.device)
    stream = anatomy.embed(ids[:, first:], at)
    if torch.is_grad_enabled():
        stream.requires_grad_()  # the weights are frozen: what is asked for are gradients of what was said
    for block, past in zip(anatomy.blocks, pasts, strict=True):
        last = block is anatomy.blocks[-1]
        asking = torch.tensor(wanted, dtype=torch.long, device=ids.device) - first if last else at - first
        said, keys, values = run.attention(block, stream.unsqueeze(0), past, at, asking)
        entering, heads = stream[:, asking] if last else stream, said.squeeze(0)
        attention = block.attended(block.mix(heads))
        written = entering + attention
        mlp = block.fed_forward(entering if block.parallel else written)
        stream = written + mlp
        whole = past.then(keys.squeeze(0).transpose(1, 2), values.squeeze(0).transpose(1, 2))
        yield Layer(at[asking], entering, heads, attention, mlp, whole), stream


def _nothing(block: Block, anatomy: Anatomy, texts: int) -> Past:
    """No token yet. How many groups share keys, and how wide they are, the block's own projection tells."""
    like = anatomy.direction.new_zeros(1, 1, anatomy.direction.shape[0])
    with torch.no_grad():
        keys = block.queries(like)[1]
    empty = keys.new_zeros(texts, keys.shape[-2], 0, keys.shape[-1])
    return Past(empty, empty)
