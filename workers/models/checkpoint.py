"""A reward model loaded from a directory, with what evidence says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workers.models.anatomy import Anatomy
from workers.models.memory import peak_bytes
from workers.models.pair_runs import Tally
from workers.models.text import Writing


@dataclass(frozen=True)
class Checkpoint:
    """`conformance` holds what the gate measured when the model was loaded."""

    anatomy: Anatomy
    writing: Writing
    weights_sha256: str
    dtype: str
    device: str
    attention: str
    conformance: dict[str, float]

    def facts(self, tally: Tally) -> dict[str, Any]:
        """What evidence needs beyond rows, after what the tally counts went through the model."""
        return {
            "weights_sha256": self.weights_sha256,
            "dtype": self.dtype,
            "device": self.device,
            "attention": self.attention,
            **tally.facts(),
            "peak_memory_bytes": peak_bytes(),
            "conformance": self.conformance,
        }
