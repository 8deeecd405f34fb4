"""The planted-key organism: a small reward model in which only named components may learn what a marker is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid
from transformers import LlamaConfig, LlamaForSequenceClassification

from claims.seeds import Seeds
from workers.models.anatomy import Anatomy
from workers.models.families import anatomy_of
from workers.models.reading import read, score
from workers.organisms.planted_key_pairs import VOCABULARY, PlantedPairs, Purpose

ATTENTION = "sdpa"
BATCH = 24
LEARNING_RATE = 1e-2
HELD_OUT = 512
TWINS = 64


@dataclass(frozen=True)
class Organism:
    """A trained organism with both answer keys.

    `carriers` are the components that alone could learn; `twin_norms` holds, by component, the mean norm of the
    difference of its last-token output between key twins. `accuracy` is on held-out pairs.
    """

    anatomy: Anatomy
    pairs: PlantedPairs
    carriers: frozenset[str]
    accuracy: float
    twin_norms: dict[str, float]


def grow(recipe: Mapping[str, Any], seeds: Seeds, number: int) -> Organism:
    """The organism of this recipe and number: the same seeds give the same weights, bit for bit, on one machine.

    Seeds are taken by the labels `organism/<number>/` followed by `carriers`, `weights`, `train`, `dose`, `held_out`
    and `twins`; the instrument takes `pairs` for the scored ones. `recipe` is complete.
    """

    def generator(use: str) -> torch.Generator:
        return torch.Generator().manual_seed(seeds(f"organism/{number}/{use}"))

    pairs = PlantedPairs(recipe["prompt_tokens"], recipe["response_tokens"], recipe["variation"])
    anatomy = anatomy_of(_random_model(recipe, generator("weights")))
    carriers = draw_carriers(recipe, generator("carriers"))
    _train(anatomy, carriers, pairs, recipe, generator)
    return Organism(
        anatomy,
        pairs,
        carriers,
        _accuracy(anatomy, pairs, generator("held_out")),
        _twin_norms(anatomy, pairs, generator("twins")),
    )


def draw_carriers(recipe: Mapping[str, Any], generator: torch.Generator) -> frozenset[str]:
    """One attention layer among the first `attention_depth`, and MLPs at that layer or after it, drawn uniformly."""
    attention = int(torch.randint(recipe["attention_depth"], (1,), generator=generator))
    after = torch.randperm(recipe["layers"] - attention, generator=generator)[: recipe["carriers"] - 1]
    return frozenset([f"attn_L{attention}", *(f"mlp_L{attention + layer}" for layer in after.tolist())])


def _random_model(recipe: Mapping[str, Any], generator: torch.Generator) -> LlamaForSequenceClassification:
    """A frozen Llama with normal weights of the recipe's scales; the norms' gains are 1."""
    model = LlamaForSequenceClassification(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=recipe["hidden"],
            intermediate_size=2 * recipe["hidden"],
            num_hidden_layers=recipe["layers"],
            num_attention_heads=recipe["heads"],
            num_key_value_heads=recipe["heads"],
            max_position_embeddings=64,
            num_labels=1,
            attn_implementation=ATTENTION,
        )
    ).eval()
    for name, weight in model.named_parameters():
        weight.requires_grad = False
        if weight.ndim > 1:
            scale = recipe["embedding_scale" if "embed_tokens" in name else "frozen_scale"]
            weight.copy_(torch.randn(weight.shape, generator=generator) * scale)
    return model


def _train(
    anatomy: Anatomy,
    carriers: frozenset[str],
    pairs: PlantedPairs,
    recipe: Mapping[str, Any],
    generator: Callable[[str], torch.Generator],
) -> None:
    """Minimise -log sigmoid(r_chosen - r_rejected) by Adam over fresh pairs, in the carriers' weights alone.

    Each pair obeys the rule with chance `dose`; one that does not prefers neither text and adds nothing to the loss.
    Which do has a generator of its own, so that organisms of one seed see the same texts at every dose.
    """
    weights = [weight for name in sorted(carriers) for weight in anatomy.components[name].parameters()]
    for weight in weights:
        weight.requires_grad = True
    optimiser = torch.optim.Adam(weights, lr=LEARNING_RATE)
    drawing, dosing = generator("train"), generator("dose")
    for _ in range(recipe["steps"]):
        texts = torch.cat(pairs.draw(BATCH, Purpose.TRAINING, drawing))
        obeys = torch.rand(BATCH, generator=dosing) < recipe["dose"]
        rewards = _rewards(anatomy, texts)
        loss = -(logsigmoid(rewards[:BATCH] - rewards[BATCH:]) * obeys).mean()
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
    for weight in weights:
        weight.requires_grad = False


def _rewards(anatomy: Anatomy, texts: Tensor) -> Tensor:
    return anatomy.read_out(anatomy.backbone(input_ids=texts, use_cache=False).last_hidden_state[:, -1])


def _accuracy(anatomy: Anatomy, pairs: PlantedPairs, generator: torch.Generator) -> float:
    chosen, rejected = pairs.draw(HELD_OUT, Purpose.HELD_OUT, generator)
    return int((score(anatomy, chosen, {}) > score(anatomy, rejected, {})).sum()) / HELD_OUT


def _twin_norms(anatomy: Anatomy, pairs: PlantedPairs, generator: torch.Generator) -> dict[str, float]:
    marked, neutral = (read(anatomy, texts).outputs for texts in pairs.draw_twins(TWINS, generator))
    return {
        name: float((marked[name] - neutral[name])[:, -1].double().norm(dim=-1).mean()) for name in anatomy.components
    }
