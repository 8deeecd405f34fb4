"""Whether a loaded model is in a state to be measured at all, before anything runs through it."""

from __future__ import annotations

from itertools import chain

import torch
from transformers import PreTrainedModel

from workers.refusals import RefusalError

EAGER = "eager"


def refuse_unready(model: PreTrainedModel) -> None:
    """Raises `RefusalError`: "conformance" with the check, "not_finite" with the weight."""
    training = [name or "the model" for name, module in model.named_modules() if module.training]
    if training:
        raise _failed("evaluation", f"{training[0]} is in training mode, where dropout changes every score")
    hooked = [name for name, module in model.named_modules() if hasattr(module, "_hf_hook")]
    if hooked or getattr(model, "hf_device_map", None):
        raise _failed("devices", "its weights are offloaded, or spread over devices, by accelerate")
    tensors = dict(chain(model.named_parameters(), model.named_buffers()))
    absent = [name for name, tensor in tensors.items() if tensor.is_meta]
    if absent:
        raise _failed("devices", f"{absent[0]} is on the meta device: it was never loaded")
    devices = {str(tensor.device) for tensor in tensors.values()}
    if len(devices) > 1:
        raise _failed("devices", f"its weights are on {', '.join(sorted(devices))}")
    if model.config._attn_implementation != EAGER:  # noqa: SLF001 - there is no public name for it
        raise _failed("attention", f"it attends by {model.config._attn_implementation!r}")  # noqa: SLF001
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise RefusalError(
                "not_finite", f"The weight {name} holds NaN or Inf.", "Fetch the checkpoint again, or choose another."
            )


def _failed(check: str, detail: str) -> RefusalError:
    return RefusalError(
        "conformance",
        f"The model does not pass the check {check!r}: {detail}.",
        "Load it whole onto one device, in evaluation mode, with eager attention.",
    )
