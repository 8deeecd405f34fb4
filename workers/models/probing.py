"""A model's own forward over texts as other programs run it: in batches, padded, by its own head."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from transformers import PreTrainedModel

from workers.models.anatomy import Anatomy


def alone(anatomy: Anatomy, ids: Tensor) -> Tensor:
    """The rewards (B,) of ids (B, T), of which nothing is padding."""
    hidden = anatomy.backbone(input_ids=ids, use_cache=False).last_hidden_state
    return anatomy.read_out(hidden[:, -1])


def padded(anatomy: Anatomy, texts: Sequence[Tensor], *, left: bool) -> Tensor:
    """The rewards (B,) of texts (1, T) in one batch, whatever the padding token, read at each text's own last token."""
    longest = max(ids.shape[1] for ids in texts)
    room = [(longest - ids.shape[1], 0) if left else (0, longest - ids.shape[1]) for ids in texts]
    ids = torch.cat([pad(ids, where) for ids, where in zip(texts, room, strict=True)])
    mask = torch.cat([pad(torch.ones_like(ids), where) for ids, where in zip(texts, room, strict=True)])
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    hidden = anatomy.backbone(
        input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False
    ).last_hidden_state
    last = torch.full((len(texts),), longest - 1, device=ids.device) if left else mask.sum(1) - 1
    return anatomy.read_out(hidden[torch.arange(len(texts), device=ids.device), last])


def own_scores(model: PreTrainedModel, anatomy: Anatomy, texts: Sequence[Tensor]) -> Tensor:
    """The scores (B,) that the model's own head gives texts (1, T), at their last token.

    The library takes the last token that is not the padding token: a text that ends in one, as does every text whose
    end is marked by a token that also pads, would be read earlier than it ends.
    """
    config = model.config.get_text_config()
    padding, config.pad_token_id = config.pad_token_id, None
    try:
        return torch.cat([model(input_ids=ids, use_cache=False).logits[:, anatomy.output] for ids in texts])
    finally:
        config.pad_token_id = padding


def module_outputs(anatomy: Anatomy, ids: Tensor) -> dict[str, object]:
    """What every component's module returned, as it did."""
    outputs: dict[str, object] = {}

    def keep(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: object, output: object) -> None:
            outputs[name] = output

        return hook

    handles = [module.register_forward_hook(keep(name)) for name, module in anatomy.components.items()]
    try:
        anatomy.backbone(input_ids=ids, use_cache=False)
    finally:
        for handle in handles:
            handle.remove()
    return outputs
