"""The model's own forward, with what its sublayers added along the way and any of it replaced: slow, and plain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from workers.models.anatomy import Anatomy
from workers.models.finite import refuse_not_finite

Edit = Callable[[Tensor], Tensor]
HEADS = "heads_L"


@dataclass(frozen=True)
class Reading:
    """What B texts of T tokens each, unpadded, gave.

    `outputs[component]` is (B, T, D), what the component added to the residual stream, and `outputs["heads_L0"]`, …
    (B, T, H d) what a layer's query heads said before they were mixed; `stream` (B, D) is the residual stream at the
    last token after the last layer; `scores` (B,) are rewards, bias included.
    """

    outputs: dict[str, Tensor]
    stream: Tensor
    scores: Tensor


def read(anatomy: Anatomy, ids: Tensor) -> Reading:
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
        anatomy.layers[0].register_forward_pre_hook(entering("embedding"), with_kwargs=True),
        anatomy.norm.register_forward_pre_hook(entering("stream"), with_kwargs=True),
    ]
    try:
        heads = [f"{HEADS}{index}" for index in range(len(anatomy.blocks))]
        scores = score(anatomy, ids, {name: keep(name) for name in [*anatomy.components, *heads]})
    finally:
        for handle in handles:
            handle.remove()
    refuse_not_finite({"embed": stream["embedding"], **outputs, "score": scores})
    return Reading(outputs, stream["stream"], scores)


def score(anatomy: Anatomy, ids: Tensor, edits: dict[str, Edit]) -> Tensor:
    """The rewards (B,) of `ids` (B, T), what each named component or `heads_L0`, … said replaced by its edit of it."""
    with torch.no_grad(), _edited(anatomy, edits):
        hidden: Tensor = anatomy.backbone(input_ids=ids, use_cache=False).last_hidden_state[:, -1]
        return anatomy.read_out(hidden)


@contextmanager
def _edited(anatomy: Anatomy, edits: dict[str, Edit]) -> Iterator[None]:
    handles = [_register(anatomy, name, edit) for name, edit in edits.items()]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _register(anatomy: Anatomy, name: str, edit: Edit) -> RemovableHandle:
    if name.startswith(HEADS):
        return anatomy.blocks[int(name.removeprefix(HEADS))].mix.register_forward_pre_hook(
            lambda _module, inputs: (edit(inputs[0]),)
        )
    return anatomy.components[name].register_forward_hook(_hook(edit))


def _hook(edit: Edit) -> Callable[..., Any]:
    """Attention returns its output first of a tuple, an MLP its output alone."""

    def hook(_module: nn.Module, _inputs: object, output: Tensor | tuple[Tensor, ...]) -> Any:  # noqa: ANN401
        if isinstance(output, tuple):
            return (edit(output[0]), *output[1:])
        return edit(output)

    return hook
