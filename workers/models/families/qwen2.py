"""Qwen 2: Llama with biases on queries, keys and values, and windows in the layers that hold one."""

from __future__ import annotations

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy
from workers.models.families.llama import llama_like, windowed_block


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    return llama_like(model, readout, output, windowed_block)
