"""The files of a measurement: under their names once they are whole, not before."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workers.unregistered.refusing import flawed

EVIDENCE, ROWS, AGAIN, QUESTION = "evidence.json", "rows.jsonl", "again.jsonl", "unregistered.json"


@contextmanager
def prepared(out: Path, *, force: bool) -> Iterator[Path]:
    """An empty directory within `out`, gone with all that is in it when the block ends.

    Raises `BadOptionsError` for an `out` that cannot be written to, or that holds a measurement, unless `force`.
    """
    if there := [name for name in (EVIDENCE, ROWS, AGAIN, QUESTION) if (out / name).exists() and not force]:
        detail = f"{out} holds {there[0]} already"
        raise flawed("--out", detail, "Name another directory, or overwrite with --force.")
    existed = out.exists()
    try:
        out.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=out))
    except OSError as error:
        detail = f"{out} cannot be written to: {error.strerror or error}"
        raise flawed("--out", detail, "Name a directory that can be made and written to.") from error
    try:
        yield unfinished
    finally:
        shutil.rmtree(unfinished)
        if not existed:
            with suppress(OSError):  # it holds a measurement
                out.rmdir()


def write_json(file: Path, value: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n", encoding="utf-8")


def publish(unfinished: Path, out: Path) -> None:
    """Move what is finished to `out`, evidence last: where it stands, all that belongs to it stands beside it."""
    for name in (EVIDENCE, ROWS, AGAIN, QUESTION):
        (out / name).unlink(missing_ok=True)
    for name in (ROWS, AGAIN, QUESTION, EVIDENCE):
        if (unfinished / name).exists():
            (unfinished / name).replace(out / name)
