"""One forward pass of a reward model with what its sublayers wrote along the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from workers.models.sites import Sites
from workers.refusals import RefusalError

Edit = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Reading:
    """What B texts of T tokens each, unpadded, gave.

    `outputs[component]` is (B, T, D), what the component added to the residual stream; `embedding` (B, D) and
    `stream` (B, D) are the residual stream at the last token before the first and after the last layer; `scores`
    (B,) are rewards, bias included.
    """

    outputs: dict[str, Tensor]
    embedding: Tensor
    stream: Tensor
    scores: Tensor


def read(sites: Sites, ids: Tensor) -> Reading:
    """Read `ids` (B, T). Raises `RefusalError` ("not_finite") that names the first component with a NaN or Inf."""
    outputs: dict[str, Tensor] = {}
    stream: dict[str, Tensor] = {}

    def keep(component: str) -> Edit:
        def edit(output: Tensor) -> Tensor:
            outputs[component] = output
            return output

        return edit

    def entering(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, inputs: tuple[Tensor, ...], named: dict[str, Tensor]) -> None:
            stream[name] = (inputs[0] if inputs else named["hidden_states"])[:, -1]

        return hook

    handles = [
        sites.layers[0].register_forward_pre_hook(entering("embedding"), with_kwargs=True),
        sites.norm.register_forward_pre_hook(entering("stream"), with_kwargs=True),
    ]
    try:
        scores = score(sites, ids, {name: keep(name) for name in sites.components})
    finally:
        for handle in handles:
            handle.remove()
    refuse_not_finite({"embed": stream["embedding"], **outputs, "score": scores})
    return Reading(outputs, stream["embedding"], stream["stream"], scores)


def score(sites: Sites, ids: Tensor, edits: dict[str, Edit]) -> Tensor:
    """The rewards (B,) of `ids` (B, T), each named component's output replaced by its edit of it."""
    with torch.no_grad(), _edited(sites, edits):
        hidden: Tensor = sites.backbone(input_ids=ids, use_cache=False).last_hidden_state[:, -1]
        return readout(sites, hidden)


def readout(sites: Sites, hidden: Tensor) -> Tensor:
    """The rewards (B,) of final hidden states (B, D), accumulated in float32 whatever the weights' precision."""
    rewards = hidden.float() @ sites.direction.float()
    return rewards if sites.bias is None else rewards + sites.bias.float()


@contextmanager
def _edited(sites: Sites, edits: dict[str, Edit]) -> Iterator[None]:
    handles = [sites.components[name].register_forward_hook(_hook(edit)) for name, edit in edits.items()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _hook(edit: Edit) -> Callable[..., Any]:
    """Attention returns its output first of a tuple, an MLP its output alone."""

    def hook(_module: nn.Module, _inputs: object, output: Tensor | tuple[Tensor, ...]) -> Any:  # noqa: ANN401
        if isinstance(output, tuple):
            return (edit(output[0]), *output[1:])
        return edit(output)

    return hook


def refuse_not_finite(values: Mapping[str, Tensor]) -> None:
    """Raises `RefusalError` ("not_finite") that names the first of `values` with a NaN or Inf."""
    for name, value in values.items():
        if not bool(torch.isfinite(value).all()):
            raise RefusalError(
                "not_finite",
                f"{name} gives NaN or Inf.",
                "Check the checkpoint's weights; load half-precision models in float32.",
            )
