"""Mistral: its layers take their window from the configuration at each forward and hold none themselves."""

from __future__ import annotations

from torch import nn
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy
from workers.models.families.llama import block, llama_like


def anatomy(model: PreTrainedModel, readout: nn.Linear, output: int) -> Anatomy:
    return llama_like(model, readout, output, lambda layer: block(layer, model.config.sliding_window))
