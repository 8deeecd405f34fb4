"""GPT-2: learned positions, one projection for queries, keys and values, biases everywhere."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy, Block, Project, Projected
from workers.models.families._rotary import causal, named


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    backbone = model.get_submodule("transformer")
    layers = tuple(backbone.get_submodule("h").children())
    tokens, places = backbone.get_submodule("wte"), backbone.get_submodule("wpe")

    def embed(ids: Tensor, positions: Tensor) -> Tensor:
        stream: Tensor = tokens(ids) + places(positions)
        return stream

    return Anatomy(
        backbone=backbone,
        embed=embed,
        rotations=lambda _stream, _positions: {},
        blocks=causal(tuple(map(block, layers)), [layer.get_submodule("attn") for layer in layers]),
        components=named(layers, "attn", "mlp"),
        layers=layers,
        norm=backbone.get_submodule("ln_f"),
        readout=readout,
        output=output,
    )


def block(layer: nn.Module) -> Block:
    attention: Any = layer.get_submodule("attn")
    return Block(
        heads=int(attention.num_heads),
        scale=float(attention.scaling),
        softcap=None,
        window=None,
        project=_joint(attention, int(attention.num_heads)),
        attention_norm=layer.get_submodule("ln_1"),
        mix=attention.get_submodule("c_proj"),
        mlp_norm=layer.get_submodule("ln_2"),
        mlp=layer.get_submodule("mlp"),
    )


def _joint(attention: nn.Module, heads: int) -> Project:
    """All queries first, then all keys, then all values."""
    projection = attention.get_submodule("c_attn")

    def project(stream: Tensor, slots: Tensor | None) -> Projected:
        queries, keys, values = projection(stream).unflatten(-1, (3, heads, -1)).unbind(-3)
        return queries if slots is None else queries[..., slots, :, :], keys, values

    return project
