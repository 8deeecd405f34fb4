"""From a trunk and preference pairs to a reward model, and how often it prefers rightly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import LlamaForSequenceClassification

from claims.pairs import Pair
from examples.smollm2.preferences import folds
from examples.smollm2.readout import choose_penalty, fit_readout, left_out
from examples.smollm2.tuning import Recipe, Told, final_states, hidden_states, tune
from workers.models.text import Writing

PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
FOLDS = 5
# Chosen on the training pairs alone (docs/study.md).
RECIPE = Recipe(frozen=20, epochs=2, pairs_a_step=8, rate=3e-5, readout_rate=9e-5, decay=0.01, seed=0)


@dataclass(frozen=True)
class Fitted:
    """`penalty` is the one that cross-validation chose, `left_out` the share of left-out pairs preferred rightly."""

    penalty: float
    left_out: float


def train(
    model: LlamaForSequenceClassification, writing: Writing, pairs: Sequence[Pair], recipe: Recipe, told: Told
) -> Fitted:
    """Fit the readout, its penalty chosen by cross-validation on these pairs, then tune the upper layers with it.

    `model` is changed in place. Raises `RefusalError` for a pair that the model cannot take.
    """
    backbone = model.model
    states = hidden_states(backbone, _texts(writing, pairs), recipe.frozen, told)
    final = final_states(backbone, states, recipe.frozen)
    differences = final[0::2] - final[1::2]
    parts = [_part(pairs, fold.held_out) for fold in folds(pairs, FOLDS)]
    penalty = choose_penalty(differences, parts, PENALTIES)
    with torch.no_grad():
        model.score.weight.copy_(fit_readout(differences, penalty)[None])
    tune(model, list(zip(states[0::2], states[1::2], strict=True)), recipe, told)
    model.requires_grad_(requires_grad=False)
    return Fitted(penalty, left_out(differences, parts, penalty))


def preferred_rightly(
    model: LlamaForSequenceClassification, writing: Writing, pairs: Sequence[Pair], told: Told
) -> list[bool]:
    """For each pair, whether the chosen response scores higher."""
    backbone, layers = model.model, len(model.model.layers)
    final = final_states(backbone, hidden_states(backbone, _texts(writing, pairs), layers, told), layers)
    scores = final @ model.score.weight[0]
    return [bool(chosen > rejected) for chosen, rejected in zip(scores[0::2], scores[1::2], strict=True)]


def _texts(writing: Writing, pairs: Sequence[Pair]) -> list[tuple[int, ...]]:
    """Chosen and rejected in turn, as the worker writes them."""
    encoded = [writing.encode(pair) for pair in pairs]
    return [text.ids for pair in encoded for text in (pair.chosen, pair.rejected)]


def _part(pairs: Sequence[Pair], left_out: Sequence[Pair]) -> Tensor:
    names = {pair.id for pair in left_out}
    return torch.tensor([pair.id in names for pair in pairs])
