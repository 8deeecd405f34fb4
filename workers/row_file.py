"""Rows on disk: written as they come, hashed as they are written, read back in parts; never held whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from tempfile import TemporaryFile
from typing import BinaryIO, Self

from claims import rows
from claims.instruments.manifest import Row

PART = 1024 * 1024


class RowFile:
    """An empty file that rows are written to, from its beginning to its end, and then read from."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self._digest = file, hashlib.sha256()

    def write(self, parts: Iterable[bytes]) -> None:
        """Add the parts one after the other."""
        for part in parts:
            self._digest.update(part)
            self.file.write(part)
        self.file.flush()

    @property
    def sha256(self) -> str:
        """The SHA-256 of all that was written, in hex."""
        return self._digest.hexdigest()

    def parts(self) -> Iterator[bytes]:
        """The bytes from the beginning, in parts of 1 MiB."""
        self.file.seek(0)
        return iter(partial(self.file.read, PART), b"")

    def rows(self) -> Iterator[Row]:
        """The rows from the first on; raises as `claims.rows.decode_chunks` does."""
        return rows.decode_chunks(self.parts())


@dataclass(frozen=True)
class RowFiles:
    """The rows of a shard or a run, and those that a second measurement of some of its cells gave."""

    rows: RowFile
    again: RowFile

    @classmethod
    def of(cls, rows: BinaryIO, again: BinaryIO) -> Self:
        return cls(RowFile(rows), RowFile(again))


@contextmanager
def temporary() -> Iterator[RowFiles]:
    """Files that are gone when the block ends."""
    with TemporaryFile() as first, TemporaryFile() as second:
        yield RowFiles.of(first, second)
