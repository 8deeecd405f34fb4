"""`rows.jsonl`: what a worker measured, one JSON object a line, the same bytes for the same rows."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from claims.flaws import Flaw, RefusedInputError, pointer


def encode(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The lines of `lines`, as one."""
    return b"".join(lines(rows))


def lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """A line for each row as it comes, in the order given: compact, keys sorted, UTF-8, ended.

    Raises `RefusedInputError` with the row number (from 1) for NaN, infinity or what JSON does not know.
    """
    return (_line(number, row) for number, row in enumerate(rows, start=1))


def _line(number: int, row: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(row, allow_nan=False, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return text.encode() + b"\n"
    except (ValueError, TypeError) as error:
        raise _bad_row(
            number, str(error), "A row holds finite numbers, text, booleans, null, lists, objects."
        ) from error


def decode(body: bytes) -> Iterator[dict[str, Any]]:
    """The rows that `encode` wrote; raises as `decode_chunks` does."""
    return decode_chunks((body,))


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The rows in bytes that come in parts, wherever these were cut; no more than a chunk is held.

    Raises `RefusedInputError` with the row number for any line that `lines` did not write.
    """
    return (_row(number, line) for number, line in enumerate(_split(chunks), start=1))


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    begun = b""
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end == 0:
            begun += chunk
            continue
        yield from io.BytesIO(begun + chunk[:end])
        begun = chunk[end:]
    if begun:
        yield begun


def _row(number: int, line: bytes) -> dict[str, Any]:
    if not line.endswith(b"\n"):
        raise _bad_row(number, "the last line is not ended", "The file was cut short: fetch it again.")
    try:
        row = json.loads(line, parse_constant=_refuse_constant)
    except ValueError as error:
        raise _bad_row(number, str(error), "The file is not what was recorded: check its SHA-256.") from error
    if not isinstance(row, dict):
        raise _bad_row(number, "a row is an object", "The file is not what was recorded: check its SHA-256.")
    return row


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no measurement")


def _bad_row(number: int, detail: str, remedy: str) -> RefusedInputError:
    return RefusedInputError(Flaw(pointer(number), "bad_row", f"row {number}: {detail}", remedy))
