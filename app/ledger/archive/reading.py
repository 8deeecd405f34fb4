"""Reading an archive strictly: nothing in it but what belongs there, every member with the hash that is stated."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, TypeVar

from app.ledger.archive import members
from app.ledger.archive.members import About, ArchiveError
from app.ledger.audit.findings import Progress
from app.ledger.checkpoints import Issued
from claims.entries import parse_time

BLOCK = 1024 * 1024
LONGEST_LINE = 16 * BLOCK
T = TypeVar("T")


class Archive:
    """An archive whose members are all there, whole. Raises `ArchiveError` for any other file."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            raise ArchiveError(f"it is no ZIP archive: {error}") from error
        names = [info.filename for info in self._zip.infolist()]
        if len(set(names)) < len(names):
            raise ArchiveError("it holds two members of one name")
        if any(info.compress_type != zipfile.ZIP_STORED for info in self._zip.infolist()):
            raise ArchiveError("it holds members that are compressed")
        self._check_sums(names, progress)
        self.blobs = dict(self.each(members.BLOBS, _blob))
        listed = {members.BLOB.format(sha256) for sha256 in self.blobs}
        _expect_names(set(names), {*members.NAMES, *listed})
        self.about = About.from_object(self._one(members.ABOUT), members.SCHEMA)
        self.vkey = self._text(members.KEY).removesuffix("\n")

    def entries(self) -> Iterator[bytes]:
        """The canonical bytes of every entry, in order."""
        return (line.removesuffix(b"\n") for line in self._lines(members.ENTRIES))

    def each(self, name: str, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
        """What every line of a JSONL member says."""
        for number, line in enumerate(self._lines(name), start=1):
            try:
                yield read(json.loads(line))
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise ArchiveError(f"line {number} of {name} cannot be read: {error!r}") from error

    def blob(self, sha256: str) -> BinaryIO:
        return self._zip.open(members.BLOB.format(sha256))  # type: ignore[return-value]  # it reads and seeks as one

    def _lines(self, name: str) -> Iterator[bytes]:
        with self._zip.open(name) as opened:
            while line := opened.readline(LONGEST_LINE):
                if not line.endswith(b"\n"):
                    raise ArchiveError(f"{name} has a line that does not end")
                yield line

    def _one(self, name: str) -> Mapping[str, Any]:
        values = list(self.each(name, dict))
        if len(values) != 1:
            raise ArchiveError(f"{name} has {len(values)} lines, not one")
        return values[0]

    def _text(self, name: str) -> str:
        try:
            return self._zip.read(name).decode()
        except UnicodeDecodeError as error:
            raise ArchiveError(f"{name} is no text") from error

    def _check_sums(self, names: list[str], progress: Progress) -> None:
        _expect_names(set(names), {*members.NAMES, *(name for name in names if name.startswith("blobs/"))})
        lines = self._text(members.SUMS).splitlines()
        stated = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        _expect_names(set(stated), set(names) - {members.SUMS})
        for done, name in enumerate(stated, start=1):
            if self._digest(name) != stated[name]:
                raise ArchiveError(f"{name} is not what {members.SUMS} says: it was changed, or cut short")
            progress("checksums", done, len(stated))

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        try:
            with self._zip.open(name) as opened:
                for block in iter(partial(opened.read, BLOCK), b""):
                    digest.update(block)
        except zipfile.BadZipFile as error:
            raise ArchiveError(f"{name} is damaged: {error}") from error
        return digest.hexdigest()


def checkpoint_of(wire: Mapping[str, Any]) -> Issued:
    root = base64.b64decode(wire["root"], validate=True)
    return Issued(wire["size"], root, wire["note"], parse_time(wire["time"]))


def anchor_of(wire: Mapping[str, Any]) -> dict[str, Any]:
    """The row of `anchors`."""
    times = {name: parse_time(wire[name]) for name in ("time", "received")}
    body = base64.b64decode(wire["body"], validate=True)
    return {"size": wire["size"], "kind": wire["kind"], "name": wire["name"], "body": body, **times}


def receipt_of(wire: Mapping[str, Any]) -> dict[str, Any]:
    """The row of `receipts`."""
    return {"claim": wire["claim"], "body": dict(wire["body"])}


def _blob(wire: Mapping[str, Any]) -> tuple[str, tuple[int, str]]:
    return wire["sha256"], (wire["size"], wire["media_type"])


def _expect_names(found: set[str], expected: set[str]) -> None:
    for name in sorted(expected - found):
        raise ArchiveError(f"it lacks {name}")
    for name in sorted(found - expected):
        raise ArchiveError(f"it holds {name}, which does not belong there")
