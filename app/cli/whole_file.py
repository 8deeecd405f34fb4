"""Files that a command leaves behind: whole or not at all, and never over another one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from app.cli.errors import BadInputError

SECRET = 0o600
READABLE = 0o644


def refuse_existing(path: Path) -> None:
    if path.exists():
        raise BadInputError(f"{path} is there already; name another file, or move it away.")


@contextmanager
def whole_file(path: Path, mode: int) -> Iterator[BinaryIO]:
    """A file that gets its name when the block ends well. Until then it lies beside it, for nobody else to read."""
    refuse_existing(path)
    try:
        descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error}.") from error
    try:
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(mode)
        os.link(draft, path)  # unlike rename, never over a file that came meanwhile
    except FileExistsError as error:
        raise BadInputError(f"{path} is there already; name another file, or move it away.") from error
    finally:
        Path(draft).unlink()
