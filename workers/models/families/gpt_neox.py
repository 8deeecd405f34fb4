"""GPT-NeoX: attention and MLP side by side in most, partial rotation, one projection, biases everywhere."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy, Block, Project, Projected
from workers.models.families._rotary import causal, looked_up, named, rotations_of


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    backbone = model.get_submodule("gpt_neox")
    layers = tuple(backbone.get_submodule("layers").children())
    return Anatomy(
        backbone=backbone,
        embed=looked_up(backbone.get_submodule("embed_in")),
        rotations=rotations_of(backbone.get_submodule("rotary_emb")),
        blocks=causal(tuple(map(block, layers)), [layer.get_submodule("attention") for layer in layers]),
        components=named(layers, "attention", "mlp"),
        layers=layers,
        norm=backbone.get_submodule("final_layer_norm"),
        readout=readout,
        output=output,
    )


def block(layer: nn.Module) -> Block:
    attention: Any = layer.get_submodule("attention")
    heads = attention.get_parameter("dense.weight").shape[1] // int(attention.head_size)
    return Block(
        heads=heads,
        scale=float(attention.scaling),
        softcap=None,
        window=None,
        project=_interleaved(attention, heads),
        attention_norm=layer.get_submodule("input_layernorm"),
        mix=attention.get_submodule("dense"),
        mlp_norm=layer.get_submodule("post_attention_layernorm"),
        mlp=layer.get_submodule("mlp"),
        parallel=bool(layer.use_parallel_residual),
    )


def _interleaved(attention: nn.Module, heads: int) -> Project:
    """Head by head: its query, its key, its value."""
    projection = attention.get_submodule("query_key_value")

    def project(stream: Tensor, slots: Tensor | None) -> Projected:
        queries, keys, values = projection(stream).unflatten(-1, (heads, 3, -1)).unbind(-2)
        return queries if slots is None else queries[..., slots, :, :], keys, values

    return project
