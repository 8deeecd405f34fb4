"""Gemma 3, text alone: Gemma 2 without soft-capping, with norms on queries and keys and a rotation per layer type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy, Block
from workers.models.families import gemma2
from workers.models.families.llama import llama_like


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    names = tuple(sorted(set(model.config.layer_types)))
    return llama_like(
        model,
        readout,
        output,
        block,
        attention=gemma2.ATTENTION_EXIT,
        mlp=gemma2.MLP_EXIT,
        rotary_names=names,
    )


def block(layer: nn.Module) -> Block:
    """Eager attention, which is what the model runs with, leaves Gemma 3's configured soft-cap unused."""
    attention: Any = layer.get_submodule("self_attn")
    return replace(gemma2.block(layer), softcap=None, rotary=attention.layer_type)
