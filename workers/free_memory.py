"""Whether a checkpoint fits into the memory that is free, asked of its headers before any weight is read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import prod
from os import SEEK_END
from pathlib import Path
from typing import Any

import psutil

FLOAT32_BYTES = 4
LONGEST_HEADER = 100_000_000  # what the safetensors library reads at most
CGROUP = Path("/sys/fs/cgroup")


class InsufficientMemoryError(Exception):
    """Less memory is free than is needed; both in bytes."""

    def __init__(self, need: int, have: int) -> None:
        super().__init__(f"it needs {need:,} bytes of memory and {have:,} are free")
        self.need = need
        self.have = have


def require(weights: Iterable[Path], process_bytes: int) -> None:
    """Raises `InsufficientMemoryError` unless the weights in these files fit beside what else the process needs.

    `process_bytes` is what the whole process takes without them; what it holds already need not be found again.
    A file that is no whole safetensors file counts nothing: reading it tells what is wrong with it.
    """
    need = weights_bytes(weights) + max(process_bytes - psutil.Process().memory_info().rss, 0)
    have = available_bytes()
    if need > have:
        raise InsufficientMemoryError(need, have)


def weights_bytes(weights: Iterable[Path]) -> int:
    """The bytes of all tensors that the headers of these safetensors files declare, in float32."""
    return FLOAT32_BYTES * sum(_elements(tensor) for file in weights for tensor in _header(file).values())


def available_bytes() -> int:
    """The memory that may still be taken: by the kernel's estimate, and by the limit of this process's container."""
    available = psutil.virtual_memory().available
    try:
        limit, used = (int((CGROUP / name).read_text()) for name in ("memory.max", "memory.current"))
        reclaimable = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())["inactive_file"]
    except (OSError, ValueError, KeyError):  # no such limit
        return available
    return min(available, max(limit - used + int(reclaimable), 0))


def _header(file: Path) -> dict[str, Any]:
    """The tensors by name; empty for a file that is none, or is not as long as they say."""
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            found = json.loads(stream.read(length)) if length <= LONGEST_HEADER else None
            end = stream.seek(0, SEEK_END) - 8 - length
    except (OSError, ValueError, RecursionError):
        return {}
    tensors = found.values() if isinstance(found, dict) else ()
    return found if isinstance(found, dict) and max(map(_end, tensors), default=0) == end else {}


def _end(tensor: object) -> int:
    """Where in the data the tensor ends."""
    offsets = tensor.get("data_offsets") if isinstance(tensor, dict) else None
    whole = isinstance(offsets, list) and all(isinstance(offset, int) for offset in offsets)
    return max(offsets, default=0) if whole and offsets is not None else 0


def _elements(tensor: object) -> int:
    shape = tensor.get("shape") if isinstance(tensor, dict) else None
    whole = isinstance(shape, list) and all(isinstance(size, int) and size >= 0 for size in shape)
    return prod(shape) if whole and shape is not None else 0
