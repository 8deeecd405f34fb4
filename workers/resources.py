"""What an instrument's worker half is given beside its shard, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.instruments.manifest import Row
from claims.pairs import Pair
from claims.registration.model import LocalModel

if TYPE_CHECKING:
    from workers.models.checkpoint import Checkpoint

Seeds = Callable[[str], int]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Measured:
    """Rows as the instrument's kinds have them, and `facts()`: what evidence needs and rows do not say.

    `rows` is consumed once, from its beginning to its end, and measures as it is: `progress` is called from within,
    `RefusalError` raised from within, and each row is written down before the next is asked for. `facts` is called
    after the last row. It holds weights_sha256 (None for an organism), dtype, device, attention, forwards (of one
    text each), peak_memory_bytes, and conformance (what the gate measured; empty for an organism); `token_layers` and
    `token_layers_floor` where they were counted. Which dataset was read is the worker's to say.
    """

    rows: Iterable[Row]
    facts: Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Resources:
    """The dataset's pairs and hash (none for a generated one), and the directory under which local models lie."""

    pairs: tuple[Pair, ...]
    model_root: Path | None
    dataset_sha256: str | None = None

    def load(self, model: LocalModel) -> Checkpoint:
        """The checkpoint, kept in this process while its files stay the same. Raises `RefusalError`."""
        from workers.models.loading import load  # noqa: PLC0415  # torch is imported in the measuring child alone

        return load(model, self.model_root)
