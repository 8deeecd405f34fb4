"""What patching takes, before the model is loaded: for one of 4 layers of 4 heads each, on one core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claims.instruments.manifest import Cost
from claims.instruments.pair_blocks import MEMORY, pairs_in
from claims.registration.model import Registration

LAYERS, HEADS = 4, 4
SECONDS_A_FORWARD = 0.004


def cost_of_patching(
    registration: Registration,
    params: Mapping[str, Any],
    pairs_per_dimension: Mapping[str, int],
    gradients: int = 0,
) -> Cost:
    """Forwards of one text each: the two clean runs of a pair, and for each direction its cells and `gradients`.

    A gradient takes about three forwards. How many layers and heads a model has is known once it is loaded.
    """
    pairs = pairs_in(registration, pairs_per_dimension)
    cells = LAYERS * (HEADS if params["granularity"] == "head" else 2)
    directions = 2 if params["direction"] == "both" else 1
    forwards = pairs * (2 + directions * (cells + 3 * gradients))
    return Cost(forwards=forwards, seconds=round(5 + SECONDS_A_FORWARD * forwards, 1), memory_bytes=MEMORY)
