"""What an instrument's worker half is given beside its shard, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from app.ledger.model_files import resolve
from claims.instruments import catalogue
from claims.instruments.manifest import Row
from claims.pairs import Pair, Pairs
from claims.registration.model import CheckpointModel, LocalModel, Registration
from workers import free_memory, process

if TYPE_CHECKING:
    from workers.models.checkpoint import Checkpoint

Identity = tuple[tuple[str, int, int, int], ...]
# What is still in memory needs no more of it.
_held: WeakValueDictionary[Identity, Checkpoint] = WeakValueDictionary()

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Measured:
    """Rows as the instrument's kinds have them, and `facts()`: what evidence needs and rows do not say.

    `rows` is consumed once, from its beginning to its end, and measures as it is: `progress` is called from within,
    `RefusalError` raised from within, and each row is written down before the next is asked for. Then `again`, in the
    same way: some of the cells, in the order of `rows`, measured a second time in other batches
    (`claims.nondeterminism`). `facts` is called after the last row of both. It holds weights_sha256 (None for an
    organism), dtype, device, attention, forwards (of one text each), peak_memory_bytes, and conformance (what the gate
    measured; empty for an organism); `token_layers` and `token_layers_floor` where they were counted. Which
    dataset was read is the worker's to say.
    """

    rows: Iterable[Row]
    facts: Callable[[], dict[str, Any]]
    again: Iterable[Row] = ()


@dataclass(frozen=True)
class Resources:
    """The dataset's pairs and hash (none for a generated one), and the directory under which local models lie.

    `process_bytes` is the memory that the process takes by the instrument's cost, weights apart; `patch_bytes` bounds
    what patches that run together take.
    """

    pairs: tuple[Pair, ...]
    model_root: Path | None
    dataset_sha256: str | None = None
    process_bytes: int = 0
    patch_bytes: int = 1 << 30

    @classmethod
    def of(cls, registration: Registration, pairs: Pairs | None, model_root: Path | None) -> Resources:
        """What measuring this takes, over these pairs (None for a generated dataset)."""
        cost = catalogue()[registration.instrument.name].cost(registration, pairs.dimensions if pairs else {})
        rows, sha256 = (pairs.rows, pairs.sha256) if pairs else ((), None)
        return cls(rows, model_root, sha256, cost.memory_bytes, process.settings().patch_memory_mb << 20)

    def load(self, model: CheckpointModel) -> Checkpoint:
        """The checkpoint, kept in this process while its files stay the same.

        Raises `RefusalError`, and `InsufficientMemoryError` for one that does not fit into free memory.
        """
        from workers.models.loading import load  # noqa: PLC0415  # torch is imported in the measuring child alone

        weights = self._weights(model)
        if weights is not None and weights not in _held:
            free_memory.require([Path(name) for name, *_ in weights], self.process_bytes)
        checkpoint = load(model, self.model_root)
        if weights is not None:
            _held[weights] = checkpoint
        return checkpoint

    def _weights(self, model: CheckpointModel) -> Identity | None:
        """The files of weights as they are now; None for a directory that is not to be used, as `load` will say."""
        if self.model_root is None or not isinstance(model, LocalModel):
            return None
        try:
            files = sorted(resolve(model.directory, self.model_root).glob("*.safetensors"))
            stats = [(file, file.stat()) for file in files]
        except (OSError, ValueError):
            return None
        return tuple((str(file), stat.st_ino, stat.st_mtime_ns, stat.st_size) for file, stat in stats)
