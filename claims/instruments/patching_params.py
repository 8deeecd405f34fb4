"""The parameters of patching, named alike wherever an instrument patches; the first of each is the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def patching(*, heads: bool, both: bool) -> Mapping[str, Any]:
    """The parameters of an instrument that patches, or does not patch, single heads and in both directions at once."""
    return {
        "granularity": _choice(
            "component: every attention layer and every MLP is patched; head: every query head of every attention "
            "layer, and no MLP, which has no heads.",
            "component",
            *(["head"] if heads else []),
        ),
        "alignment": _choice(
            "Which tokens of the two runs stand for each other: counted from the end, of what follows the common "
            "prefix, or from the start.",
            "end",
            "start",
        ),
        "positions": _choice(
            "At which tokens an output is replaced: all that are aligned, those of the response, or the last alone.",
            "all",
            "response",
            "last",
        ),
        "direction": _choice(
            "noising patches the chosen run from the rejected one, denoising the rejected run from the chosen one"
            + ("; both measures every cell in either direction." if both else "."),
            "noising",
            "denoising",
            *(["both"] if both else []),
        ),
    }


def _choice(description: str, default: str, *others: str) -> dict[str, Any]:
    return {"enum": [default, *others], "default": default, "description": description}
