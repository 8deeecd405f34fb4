"""What can be said of the subject `tiny` without making it: which components it has."""

from __future__ import annotations

import re

LAYERS, HEADS = 2, 4
_PART = re.compile(r"(attn|mlp|head)_L(\d+)(?:_H(\d+))?")


def has(component: str) -> bool:
    """Whether a model of its shape, a Llama without biases, has a component of this name."""
    part = _PART.fullmatch(component)
    if part is None:
        return component == "embed"
    return int(part[2]) < LAYERS and int(part[3] or 0) < HEADS
