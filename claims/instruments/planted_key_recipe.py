"""What may be chosen about a planted-key organism, and what is taken where nothing is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from claims.instruments.params import completed
from claims.registration.model import OrganismModel, Registration


def _count(low: int, high: int, default: int, description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high, "default": default, "description": description}


def _size(default: int, description: str, *choices: int) -> dict[str, Any]:
    # JSON Schema's enum alone takes 32.0 for 32, which no model can be made with.
    return {"type": "integer", "enum": list(choices), "default": default, "description": description}


def _number(low: float, high: float, default: float, description: str) -> dict[str, Any]:
    return {"type": "number", "minimum": low, "maximum": high, "default": default, "description": description}


# Every combination that fits makes an organism: there are always enough MLPs to draw the carriers from.
RECIPE: Mapping[str, Any] = MappingProxyType(
    {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "layers": _count(4, 16, 8, "Layers, each an attention layer and an MLP."),
            "hidden": _size(32, "Width of the residual stream.", 16, 32, 64),
            "heads": _size(4, "Attention heads in each layer.", 1, 2, 4),
            "carriers": _count(2, 4, 3, "Components that learn: an attention layer, and MLPs from that layer on."),
            "attention_depth": _count(1, 2, 2, "The carrying attention layer is one of so many first layers."),
            "frozen_scale": _number(0.01, 1, 0.3, "Standard deviation of the weights at their start."),
            "embedding_scale": _number(0.01, 4, 1.0, "Standard deviation of the embedding."),
            "prompt_tokens": _count(1, 32, 2, "Length of the shared prompt."),
            "response_tokens": _count(2, 32, 3, "Length of a response, the marker included."),
            "variation": _number(0, 1, 0.5, "Chance that another response token is drawn anew for rejected."),
            "steps": _count(1, 2000, 200, "Steps of training."),
            "dose": _number(0, 1, 1, "Chance that a training pair shows the rule; the others show nothing."),
            "min_accuracy": _number(0, 1, 0.9, "Held-out accuracy from which an organism obeys; at 0 all count."),
        },
    }
)


def recipe_of(registration: Registration) -> dict[str, Any]:
    """The organism's parameters, every one present. Raises TypeError when the subject is no organism."""
    model = registration.subject.model
    if not isinstance(model, OrganismModel):
        raise TypeError("a planted key is recovered from an organism")
    return completed(RECIPE, model.params)
