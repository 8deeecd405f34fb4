"""The parameters of patching, named alike wherever an instrument patches; the first of each is the default."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any


def _choice(description: str, default: str, *others: str) -> dict[str, Any]:
    return {"enum": [default, *others], "default": default, "description": description}


PATCHING: Mapping[str, Any] = MappingProxyType(
    {
        "granularity": _choice("What is ranked.", "component"),
        "alignment": _choice("Which tokens of the two runs stand for each other.", "end", "start"),
        "positions": _choice("At which tokens a component's output is replaced.", "all", "response", "last"),
        "direction": _choice(
            "Noising patches the chosen run from the rejected one, denoising the other way.", "noising", "denoising"
        ),
    }
)
