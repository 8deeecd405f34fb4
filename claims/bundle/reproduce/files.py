"""The bundle's files, read by name from wherever they lie."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

CHUNK = 1024 * 1024
UNREADABLE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What reading a value of another form than expected raises."""

Opener = Callable[[str], Iterable[bytes]]


class MismatchError(Exception):
    """Something in the bundle is not what the rest of it says; the text names it."""


class Files:
    """Files by name; `opener` gives the bytes of one from its beginning, in parts. Raises MismatchError without it."""

    def __init__(self, opener: Opener) -> None:
        self.opener = opener

    def read(self, name: str) -> bytes:
        return b"".join(self.opener(name))

    def text(self, name: str) -> str:
        return decoded(self.read(name), name)

    def json(self, name: str) -> Any:  # noqa: ANN401 - any JSON value
        return parsed(self.read(name), name)

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines without their ends; no more than a chunk is held. Raises MismatchError for a last one not ended."""
        begun = b""
        for chunk in self.opener(name):
            *ended, begun = (begun + chunk).split(b"\n")
            yield from ended
        if begun:
            raise MismatchError(name + ": its last line is not ended")

    def sha256(self, name: str) -> str:
        digest = hashlib.sha256()
        for chunk in self.opener(name):
            digest.update(chunk)
        return digest.hexdigest()


def in_folder(folder: Path) -> Opener:
    """Reads what lies under `folder`."""

    def opener(name: str) -> Iterator[bytes]:
        try:
            with folder.joinpath(name).open("rb") as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except OSError as error:
            raise MismatchError(name + ": it cannot be read, " + str(error.strerror)) from error

    return opener


def decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MismatchError(f"{name}: byte {error.start} is not UTF-8") from error


def parsed(data: bytes, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of these bytes; MismatchError for what is none, NaN and infinity included."""
    try:
        return json.loads(decoded(data, name), parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MismatchError(f"{name}: it is no JSON, {error}") from error


def refuse_constant(literal: str) -> float:
    raise ValueError(literal + " is no number")


def require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise MismatchError(otherwise)
