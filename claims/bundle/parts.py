"""What a bundle holds, by what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Rows: TypeAlias = Callable[[], Iterable[bytes]]
"""Gives the bytes of a `rows.jsonl` from its beginning, in parts cut anywhere, at every call."""


@dataclass(frozen=True)
class Proven:
    """An entry's canonical bytes, its number in the log, and the path from its leaf to the checkpoint's root."""

    index: int
    canonical: bytes
    proof: Sequence[bytes]


@dataclass(frozen=True)
class Parts:
    """A claim as of the tree that `checkpoint` signs; everything else of a bundle follows from these.

    `registration`, `receipt` and evidence are canonical JSON. `evidence` and `rows` are by run, as first recorded;
    `corrections` is the evidence of each `corrected` entry by its seq, `again` the rows that were measured twice.
    """

    registration: bytes
    receipt: bytes
    entries: Sequence[Proven]
    checkpoint: str
    vkey: str
    evidence: Mapping[str, bytes] = field(default_factory=dict)
    rows: Mapping[str, Rows] = field(default_factory=dict)
    corrections: Mapping[int, bytes] = field(default_factory=dict)
    again: Mapping[str, Rows] = field(default_factory=dict)
