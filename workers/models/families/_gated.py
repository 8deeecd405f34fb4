"""The gated MLP of Llama, Mistral, Qwen and Gemma, without a second and a third large tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import silu


def gated(mlp: nn.Module) -> Callable[[Tensor], Tensor]:
    """What the module gives, down(act(gate(x)) * up(x)), in place where no gradient is asked for."""
    parts: Any = mlp

    def forward(stream: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            added: Tensor = mlp(stream)
            return added
        gate = parts.gate_proj(stream)
        gate = silu(gate, inplace=True) if isinstance(parts.act_fn, nn.SiLU) else parts.act_fn(gate)
        down: Tensor = parts.down_proj(gate.mul_(parts.up_proj(stream)))
        return down

    return forward
