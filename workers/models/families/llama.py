"""Llama; and what Mistral, Qwen and Gemma have in common with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy, Block
from workers.models.families._gated import gated
from workers.models.families._rotary import causal, looked_up, named, rotations_of, separate


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    return llama_like(model, readout, output, block)


def block(layer: nn.Module, window: int | None = None) -> Block:
    attention: Any = layer.get_submodule("self_attn")
    head = int(attention.head_dim)
    return Block(
        heads=attention.get_parameter("o_proj.weight").shape[1] // head,
        scale=float(attention.scaling),
        softcap=None,
        window=window,
        project=separate(attention, head),
        attention_norm=layer.get_submodule("input_layernorm"),
        mix=attention.get_submodule("o_proj"),
        mlp_norm=layer.get_submodule("post_attention_layernorm"),
        mlp=gated(layer.get_submodule("mlp")),
    )


def windowed_block(layer: nn.Module) -> Block:
    """A layer that holds its own window."""
    attention: Any = layer.get_submodule("self_attn")
    return block(layer, attention.sliding_window)


def llama_like(
    model: PreTrainedModel,
    readout: nn.Linear,
    output: int,
    make: Callable[[nn.Module], Block],
    *,
    attention: str = "self_attn",
    mlp: str = "mlp",
    rotary_names: tuple[str, ...] = (),
) -> Anatomy:
    backbone = model.get_submodule("model")
    layers = tuple(backbone.get_submodule("layers").children())
    return Anatomy(
        backbone=backbone,
        embed=looked_up(backbone.get_submodule("embed_tokens")),
        rotations=rotations_of(backbone.get_submodule("rotary_emb"), rotary_names),
        blocks=causal(tuple(map(make, layers)), [layer.get_submodule("self_attn") for layer in layers]),
        components=named(layers, attention, mlp),
        layers=layers,
        norm=backbone.get_submodule("norm"),
        readout=readout,
        output=output,
    )
