"""What is in an archive, under which name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SCHEMA = "antedate.archive/1"
KEY = "log.vkey"
ENTRIES = "entries.jsonl"
CHECKPOINTS = "checkpoints.jsonl"
ANCHORS = "anchors.jsonl"
RECEIPTS = "receipts.jsonl"
BLOBS = "blobs.jsonl"
BLOB = "blobs/{}"
ABOUT = "archive.json"
SUMS = "SHA256SUMS"
# In the order in which they are written; the blobs stand behind their list.
NAMES = (KEY, ENTRIES, CHECKPOINTS, ANCHORS, RECEIPTS, BLOBS, ABOUT, SUMS)


class ArchiveError(ValueError):
    """The file is no archive of a whole ledger, or was changed; the text says where."""


@dataclass(frozen=True)
class About:
    """Which ledger it is: the log's origin, how many entries, the root of their tree."""

    log: str
    size: int
    root: bytes

    def as_object(self, schema: str) -> dict[str, Any]:
        return {"schema": schema, "log": self.log, "size": self.size, "root": self.root.hex()}

    @classmethod
    def from_object(cls, wire: Mapping[str, Any], schema: str) -> About:
        """What `as_object` wrote; raises `ArchiveError` for anything else."""
        if wire.get("schema") != schema:
            raise ArchiveError(f"it is of schema {wire.get('schema')!r}, not {schema!r}")
        try:
            about = cls(wire["log"], wire["size"], bytes.fromhex(wire["root"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ArchiveError(f"it does not say which ledger it is: {error}") from error
        if about.as_object(schema) != wire:
            raise ArchiveError("it says more than which ledger it is")
        return about


def line_of(value: Mapping[str, Any]) -> bytes:
    """One line of a JSONL member; the order of keys is the value's own, since answers are kept as they were given."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
