"""A reward model that is loaded, with what evidence says of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from claims.instruments.manifest import Capability
from workers.models.anatomy import Anatomy
from workers.models.memory import peak_bytes
from workers.models.pair_runs import Tally
from workers.models.text import Writing
from workers.refusals import RefusalError

# Every model that is taken apart here has a linear readout, and our forward of it can be differentiated once.
CAPABILITIES: tuple[Capability, ...] = ("scores", "prefix_scores", "activations", "gradients", "linear_readout")


@dataclass(frozen=True)
class Checkpoint:
    """`conformance` holds what the gate measured at loading, `capabilities` what an instrument may ask of it."""

    anatomy: Anatomy
    writing: Writing
    weights_sha256: str
    dtype: str
    device: str
    attention: str
    conformance: dict[str, float]
    capabilities: tuple[Capability, ...] = CAPABILITIES

    def offer(self, needs: Iterable[Capability]) -> None:
        """Raises `RefusalError` ("lacks_capability") that names what of these it does not have."""
        lacking = sorted(set(needs) - set(self.capabilities))
        if lacking:
            raise RefusalError(
                "lacks_capability",
                f"The model does not offer {', '.join(lacking)}; it offers {', '.join(self.capabilities)}.",
                "Use an instrument that needs no more than that.",
            )

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
