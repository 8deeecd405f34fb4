"""Light fine-tuning: the upper layers and the readout, by Adam, on Bradley-Terry preferences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid
from torch.nn.utils.rnn import pad_sequence
from transformers import LlamaForSequenceClassification, LlamaModel

Told = Callable[[str, int, int], None]
TEXTS_A_FORWARD = 8


@dataclass(frozen=True)
class Recipe:
    """What is trained and how: layers below `frozen` stay as they were pretrained, with the embedding."""

    frozen: int
    epochs: int
    pairs_a_step: int
    rate: float
    readout_rate: float
    decay: float
    seed: int


def hidden_states(backbone: LlamaModel, texts: Sequence[Sequence[int]], layers: int, told: Told) -> list[Tensor]:
    """Each text's residual stream (T, D) after so many layers, unnormalised."""
    states: list[Tensor] = []
    with torch.no_grad(), _only(backbone, slice(layers), nn.Identity()):
        for first in range(0, len(texts), TEXTS_A_FORWARD):
            batch = [torch.tensor(text) for text in texts[first : first + TEXTS_A_FORWARD]]
            out = backbone(input_ids=pad_sequence(batch, batch_first=True), use_cache=False).last_hidden_state
            states += [row[: len(ids)].clone() for row, ids in zip(out, batch, strict=True)]
            told("reading texts", len(states), len(texts))
    return states


def final_states(backbone: LlamaModel, states: Sequence[Tensor], layers: int) -> Tensor:
    """The normalised hidden state (N, D) of each text's last token, from its stream after so many layers."""
    batches = [states[first : first + TEXTS_A_FORWARD] for first in range(0, len(states), TEXTS_A_FORWARD)]
    with torch.no_grad(), _only(backbone, slice(layers, None), backbone.norm):
        return torch.cat([_last(backbone, batch) for batch in batches])


def tune(
    model: LlamaForSequenceClassification,
    pairs: Sequence[tuple[Tensor, Tensor]],
    recipe: Recipe,
    told: Told,
) -> None:
    """Train on (chosen, rejected) streams as they are after `recipe.frozen` layers; the model is changed in place."""
    backbone = model.model
    upper = [*backbone.layers[recipe.frozen :].parameters(), *backbone.norm.parameters()]
    readout = [model.score.weight]
    groups = [{"params": upper, "lr": recipe.rate}, {"params": readout, "lr": recipe.readout_rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=recipe.decay)
    draw = torch.Generator().manual_seed(recipe.seed)
    steps = -(-len(pairs) // recipe.pairs_a_step)
    total = steps * recipe.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _share(step, total))
    with _only(backbone, slice(recipe.frozen, None), backbone.norm):
        for epoch in range(recipe.epochs):
            order = torch.randperm(len(pairs), generator=draw).tolist()
            for step in range(steps):
                batch = [pairs[i] for i in order[step * recipe.pairs_a_step : (step + 1) * recipe.pairs_a_step]]
                loss = -logsigmoid(_margins(model, batch)).mean()
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                torch.nn.utils.clip_grad_norm_([*upper, *readout], 1.0)
                optimizer.step()
                schedule.step()
                told("training", epoch * steps + step + 1, total)


def _share(step: int, total: int) -> float:
    """Of the full learning rate: rising over the first tenth, then falling to nought in a straight line."""
    rising = max(1, total // 10)
    return min((step + 1) / rising, (total - step) / max(1, total - rising))


def _margins(model: LlamaForSequenceClassification, batch: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
    states = [chosen for chosen, _ in batch] + [rejected for _, rejected in batch]
    scores: Tensor = model.score(_last(model.model, states)).squeeze(-1)
    return scores[: len(batch)] - scores[len(batch) :]


def _last(backbone: LlamaModel, states: Sequence[Tensor]) -> Tensor:
    """Padded on the right, where causal attention never looks."""
    out: Tensor = backbone(
        inputs_embeds=pad_sequence(list(states), batch_first=True), use_cache=False
    ).last_hidden_state
    return out[torch.arange(len(states)), torch.tensor([len(state) - 1 for state in states])]


@contextmanager
def _only(backbone: LlamaModel, layers: slice, norm: nn.Module) -> Iterator[None]:
    """The backbone with some of its layers alone, and a norm to end with."""
    whole, own = backbone.layers, backbone.norm
    backbone.layers, backbone.norm = whole[layers], norm
    try:
        yield
    finally:
        backbone.layers, backbone.norm = whole, own
