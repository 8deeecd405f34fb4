"""Gemma 2: soft-capped attention, windows in some layers, and norms on what a sublayer adds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy, Block
from workers.models.families.llama import llama_like, windowed_block

ATTENTION_EXIT, MLP_EXIT = "post_attention_layernorm", "post_feedforward_layernorm"


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    return llama_like(model, readout, output, block, attention=ATTENTION_EXIT, mlp=MLP_EXIT)


def block(layer: nn.Module) -> Block:
    attention: Any = layer.get_submodule("self_attn")
    return replace(
        windowed_block(layer),
        softcap=attention.attn_logit_softcapping,
        attention_exit=layer.get_submodule(ATTENTION_EXIT),
        mlp_norm=layer.get_submodule("pre_feedforward_layernorm"),
        mlp_exit=layer.get_submodule(MLP_EXIT),
    )
