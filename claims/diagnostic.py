"""The preference pairs that Antedate ships: twelve dimensions, written for it (docs/diagnostic.md)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from claims.pairs import Pairs, read_pairs

DIMENSIONS = (
    "code_correctness",
    "confidence",
    "correctness",
    "factuality",
    "formatting",
    "helpfulness",
    "instruction_following",
    "math_correctness",
    "refusal_quality",
    "safety",
    "sycophancy",
    "verbosity",
)


def diagnostic_bytes() -> bytes:
    """The set as JSONL in UTF-8, dimension after dimension: what is sent to register it as a dataset."""
    folder = files("claims") / "data" / "diagnostic"
    return b"".join((folder / f"{dimension}.jsonl").read_bytes() for dimension in DIMENSIONS)


@cache
def diagnostic() -> Pairs:
    """The set as read; its `sha256` is what a registration names."""
    return read_pairs(diagnostic_bytes())
