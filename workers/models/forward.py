"""A reward model's forward over both texts of a pair at once, with all kept that patching and attribution read.

What the texts have in common at their beginning is run once, and each goes on from there, in one sequence in which
neither sees the other. In the last block nothing but the tokens asked for is computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from workers.models.anatomy import Anatomy, Block
from workers.models.attention import Asked, Past, attend
from workers.models.geometry import Geometry

Kind = Literal["attention", "heads", "mlp"]


@dataclass(frozen=True)
class Layer:
    """What a block did to B texts of T tokens, at the positions `at` (S,), in order.

    `entering` (B, S, D) is the stream that attention read, `heads` (B, S, H d) what its heads said before they were
    mixed, `attention` and `mlp` (B, S, D) what was added; `past` holds the keys and values of both texts, of which
    this one's T tokens are at `slots` (T,). What is cut from a layer of both texts lies from the slot `first` on in
    that `whole`, whose tensors gradients are asked of.
    """

    at: Tensor
    entering: Tensor
    heads: Tensor
    attention: Tensor
    mlp: Tensor
    past: Past
    slots: Tensor
    whole: Layer | None = None
    first: int = 0

    def before(self, position: int) -> Past:
        """The keys and values of the text's tokens before a position."""
        return self.past.at(self.slots[:position])

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


def trace(
    anatomy: Anatomy, texts: Mapping[str, Tensor], shared: int, wanted: Mapping[str, Sequence[int]]
) -> dict[str, Trace]:
    """The traces of two texts by name, ids (B, T) each, whose first `shared` tokens, fewer than T, are the same.

    Positions from there on are kept; of the last block the last token's, and those `wanted` of a text.
    """
    packed = _Packed.of(texts, shared)
    asking = {
        name: torch.tensor(sorted({*wanted.get(name, ()), ids.shape[1] - 1}), device=ids.device) - shared
        for name, ids in texts.items()
    }
    layers: dict[str, list[Layer]] = {name: [] for name in texts}
    finals: dict[str, Tensor] = {}
    for block, layer, after in _layers(anatomy, packed, asking):
        first = 0
        for name, slots in packed.slots.items():
            last = block is anatomy.blocks[-1]
            here = slice(first, first + len(asking[name])) if last else slots
            first += len(asking[name])
            layers[name].append(packed.cut(layer, name, here))
            finals[name] = after[:, here][:, -1]
    return {
        name: Trace(ids.shape[1], tuple(layers[name]), finals[name], anatomy.reward(finals[name]))
        for name, ids in texts.items()
    }


@dataclass(frozen=True)
class _Packed:
    """Both texts in one sequence: what they share, then each one's own at `slots`; `tokens` (T,) are a text's."""

    ids: Tensor
    at: Tensor
    branch: Tensor
    slots: Mapping[str, slice]
    tokens: Mapping[str, Tensor]

    @classmethod
    def of(cls, texts: Mapping[str, Tensor], shared: int) -> _Packed:
        slots, parts, first = {}, [next(iter(texts.values()))[:, :shared]], shared
        for name, ids in texts.items():
            parts.append(ids[:, shared:])
            slots[name] = slice(first, first + ids.shape[1] - shared)
            first = slots[name].stop
        device = parts[0].device
        positions = [torch.arange(shared), *(torch.arange(shared, ids.shape[1]) for ids in texts.values())]
        branches = [torch.full((len(of),), number) for number, of in enumerate(positions)]
        whole = torch.arange(first, device=device)
        tokens = {name: torch.cat([whole[:shared], whole[own]]) for name, own in slots.items()}
        return cls(torch.cat(parts, 1), torch.cat(positions).to(device), torch.cat(branches).to(device), slots, tokens)

    def cut(self, layer: Layer, name: str, here: slice) -> Layer:
        """One text's part of a layer, which is at `here` of what was computed."""
        entering, heads, attention, mlp = (
            value[:, here] for value in (layer.entering, layer.heads, layer.attention, layer.mlp)
        )
        tokens = self.tokens[name]
        return Layer(layer.at[here], entering, heads, attention, mlp, layer.past, tokens, layer, here.start)


def _layers(anatomy: Anatomy, packed: _Packed, asking: Mapping[str, Tensor]) -> Iterator[tuple[Block, Layer, Tensor]]:
    """Each block with its layer and the stream (B, S, D) after it; the last at the slots that are asked for alone."""
    geometry = Geometry.of(anatomy, packed.at, packed.at[:0], packed.branch)
    wanted = torch.cat([packed.slots[name].start + slots for name, slots in asking.items()])
    stream = anatomy.embed(packed.ids, packed.at)
    if torch.is_grad_enabled():
        stream.requires_grad_()  # the weights are frozen: what is asked for are gradients of what was said
    for block in anatomy.blocks:
        slots = wanted if block is anatomy.blocks[-1] else None
        said, past = run_attention(block, stream.unsqueeze(0), None, geometry, slots)
        heads, entering, at = said.squeeze(0), stream, packed.at
        if slots is not None:
            entering, at = stream[:, slots], packed.at[slots]
        attention = block.attended(block.mix(heads))
        written = entering + attention
        mlp = block.fed_forward(entering if block.parallel else written)
        stream = written + mlp
        yield block, Layer(at, entering, heads, attention, mlp, past, packed.at), stream


def run_attention(
    block: Block, stream: Tensor, past: Past | None, geometry: Geometry, slots: Tensor | None
) -> tuple[Tensor, Past]:
    """What the heads say (V, B, A, H d) at the given slots (all without) of a stream (V, B, S, D).

    Also the first row's keys and values (B, G, S, d). `geometry` is that of the S tokens over `past` and themselves.
    """
    queries, keys, values = block.queries(stream, slots)
    keys = geometry.turned(block, keys)
    own = Past(keys[0].transpose(1, 2), values[0].transpose(1, 2))
    if slots is not None:
        geometry = geometry.asking(slots)
    queries = geometry.turned(block, queries)
    return attend(block, Asked(queries, keys, values), own.at(slice(0)) if past is None else past, geometry), own
