"""A head's bias: a checkpoint can hold one that the library's classifiers have no place for, and would leave out."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import safe_open
from torch import nn
from transformers import PreTrainedModel

from workers.refusals import RefusalError

KEY = "score.bias"


def attach(model: PreTrainedModel, directory: Path) -> None:
    """Give the model's head the bias that the checkpoint holds for it, of one number for each output.

    Raises `RefusalError` ("incomplete_checkpoint") for another shape.
    """
    head, bias = model.get_submodule("score"), _stored(directory)
    if not isinstance(head, nn.Linear) or bias.shape != (head.out_features,):
        raise RefusalError(
            "incomplete_checkpoint",
            f"The checkpoint {directory.name!r} has a {KEY} of the shape {tuple(bias.shape)}, which is not its head's.",
            "Give a checkpoint whose head has one bias for each of its outputs, or none.",
        )
    head.bias = nn.Parameter(bias.to(head.weight))


def _stored(directory: Path) -> torch.Tensor:
    for file in sorted(directory.glob("*.safetensors")):
        with safe_open(file, framework="pt") as stored:
            if KEY in stored.keys():  # noqa: SIM118 - it is no mapping
                found: torch.Tensor = stored.get_tensor(KEY)
                return found
    raise LookupError(f"{directory.name} has no {KEY}")
