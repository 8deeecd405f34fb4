"""Rows on disk: written as they come, hashed as they are written, read back in parts; never held whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import BinaryIO

from claims import rows
from claims.instruments.manifest import Row

PART = 1024 * 1024


def write(parts: Iterable[bytes], file: BinaryIO) -> str:
    """Write the parts one after the other; the SHA-256 of all of them, in hex."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        file.write(part)
    file.flush()
    return digest.hexdigest()


def parts_of(file: BinaryIO) -> Iterator[bytes]:
    """The file's bytes from its beginning, in parts of 1 MiB."""
    file.seek(0)
    return iter(partial(file.read, PART), b"")


def rows_of(file: BinaryIO) -> Iterator[Row]:
    """The rows in the file, from its beginning; raises as `claims.rows.decode_chunks` does."""
    return rows.decode_chunks(parts_of(file))
