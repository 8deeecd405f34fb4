"""A bundle as one archive: the same parts give the same bytes, and only those bytes are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import BinaryIO

from claims.bundle import stored
from claims.bundle.crate import CRATE, crate
from claims.bundle.parts import Parts, Proven
from claims.bundle.reproduce.files import UNREADABLE, Files, MismatchError
from claims.bundle.reproduce.main import EXPECTED, check_sums, examined
from claims.bundle.reproduce.record import (
    ENTRIES,
    SUMS,
    Record,
    again_name,
    corrected_name,
    line_of,
    names_of,
    read_record,
    rows_name,
)
from claims.bundle.script import formulas, script
from claims.bundle.stored import Content, InvalidBundleError, Member

SCRIPT = "reproduce.py"


class UnreadablePartError(RuntimeError):
    """Whoever gave a part could not give its bytes; the cause says why."""


def write(parts: Parts, file: BinaryIO) -> None:
    """Write the bundle of these parts; rows are read several times, and never held.

    Raises ValueError where the parts are not those that the entries call for, `UnreadablePartError` from whatever
    their rows raise.
    """
    try:
        stored.write(_members(parts), file)
    except (MismatchError, *UNREADABLE) as error:
        raise ValueError(f"no bundle can be made of these parts: {error}") from error


def read(file: BinaryIO) -> Parts:
    """The parts of the bundle in `file`, whose every byte is the one that `write` gives for them.

    Rows are read from the file when they are asked for. Raises `InvalidBundleError`, naming what is wrong.
    """
    members = stored.read(file)
    files = _files({member.name: member.content for member in members})
    try:
        check_sums(files)
        parts = _parts_in(files)
        rebuilt = _members(parts)
    except (MismatchError, *UNREADABLE) as error:
        raise InvalidBundleError(f"{error}") from error
    _refuse_difference(members, rebuilt)
    return parts


def _files(contents: Mapping[str, Content]) -> Files:
    def opener(name: str) -> Iterable[bytes]:
        if name not in contents:
            raise MismatchError(f"{name}: it is missing")
        return contents[name]()

    return Files(opener)


def _members(parts: Parts) -> list[Member]:
    """Every file in its order: those given, and those that follow from them."""
    contents = _given(parts)
    files = _files(contents)
    record = read_record(files)
    names = names_of(record, files)
    unknown = contents.keys() - set(names)
    if unknown:
        raise MismatchError(f"{min(unknown)}: no entry calls for it")
    registration = files.json("registration.json")
    instrument = registration["instrument"]["name"]
    contents[EXPECTED] = _constant(examined(files, formulas(instrument)).text().encode())
    contents[SCRIPT] = _constant(script(instrument))
    members = {name: Member.of(name, contents[name]) for name in names if name not in {CRATE, SUMS}}
    sizes = {**{name: member.size for name, member in members.items()}, SUMS: None}
    contents[CRATE] = _constant(crate(record, registration, sizes))
    sums = "".join(f"{files.sha256(name)}  {name}\n" for name in names if name != SUMS)
    contents[SUMS] = _constant(sums.encode())
    return [members[name] if name in members else Member.of(name, contents[name]) for name in names]


def _given(parts: Parts) -> dict[str, Content]:
    runs = {proven.index: proven.run for proven in _record(parts).of_type("corrected")}
    lines = b"".join(line_of(proven.index, proven.canonical, proven.proof) + b"\n" for proven in parts.entries)
    constants = {
        "registration.json": parts.registration,
        "receipt.json": parts.receipt,
        **{f"evidence/{run}.json": document for run, document in parts.evidence.items()},
        **{corrected_name(runs[seq], seq): document for seq, document in parts.corrections.items()},
        ENTRIES: lines,
        "checkpoint": parts.checkpoint.encode(),
        "log.vkey": f"{parts.vkey}\n".encode(),
    }
    rows = {rows_name(run): rows for run, rows in parts.rows.items()}
    again = {again_name(run): rows for run, rows in parts.again.items()}
    given = {name: partial(_guarded, name, content) for name, content in (rows | again).items()}
    return {**{name: _constant(data) for name, data in constants.items()}, **given}


def _guarded(name: str, content: Content) -> Iterator[bytes]:
    """Keeps what reading the content raises from being taken for a flaw of the bundle."""
    try:
        yield from content()
    except Exception as error:
        raise UnreadablePartError(f"{name} cannot be read: {error}") from error


def _record(parts: Parts) -> Record:
    lines = b"".join(line_of(proven.index, proven.canonical, proven.proof) + b"\n" for proven in parts.entries)
    return read_record(_files({ENTRIES: _constant(lines)}))


def _constant(data: bytes) -> Content:
    return lambda: (data,)


def _parts_in(files: Files) -> Parts:
    record = read_record(files)
    names = set(names_of(record, files))
    runs = [entry.run for entry in record.of_type("evidence_recorded")]
    corrected = [(entry.index, corrected_name(entry.run, entry.index)) for entry in record.of_type("corrected")]
    return Parts(
        registration=files.read("registration.json"),
        receipt=files.read("receipt.json"),
        entries=[Proven(entry.index, entry.canonical, entry.proof) for entry in record.entries],
        checkpoint=files.text("checkpoint"),
        vkey=files.text("log.vkey").removesuffix("\n"),
        evidence={run: files.read(f"evidence/{run}.json") for run in runs},
        rows={run: partial(files.opener, rows_name(run)) for run in runs},
        corrections={seq: files.read(name) for seq, name in corrected},
        again={run: partial(files.opener, again_name(run)) for run in runs if again_name(run) in names},
    )


def _refuse_difference(found: Sequence[Member], rebuilt: Sequence[Member]) -> None:
    one, other = [member.name for member in found], [member.name for member in rebuilt]
    if one != other:
        raise InvalidBundleError(f"the archive holds {', '.join(one)}; a bundle of these holds {', '.join(other)}")
    for member, wanted in zip(found, rebuilt, strict=True):
        if _digest(member.content()) != _digest(wanted.content()):
            raise InvalidBundleError(f"{member.name}: it is not what the rest of the bundle gives")


def _digest(chunks: Iterable[bytes]) -> bytes:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
    return digest.digest()


def sha256_of(file: BinaryIO) -> str:
    """The SHA-256 of the whole file, in hex."""
    file.seek(0)
    return _digest(_chunks(file)).hex()


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.read, stored.CHUNK), b"")
