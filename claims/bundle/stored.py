"""A ZIP archive in the one form that a list of files has here (APPNOTE 6.3.10), written and read without `zipfile`.

`zipfile` writes other bytes from version to version. Here members are stored, not compressed, of 1980-01-01, mode 0644,
without extra fields, comments or data descriptors; nothing stands before, between or after what must.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

CHUNK = 1024 * 1024
LARGEST = 2**32 - 2  # beyond it, and beyond so many members, the format needs its 64-bit extension
MOST_MEMBERS = 2**16 - 2
LOCAL, CENTRAL, END = 0x04034B50, 0x02014B50, 0x06054B50
UTF8_NAME = 0x0800
VERSION = 20  # 2.0: directories in names
MADE_ON_UNIX = 3 << 8 | VERSION
MIDNIGHT, FIRST_DAY = 0, 0x0021  # 1980-01-01
REGULAR_0644 = 0o100644 << 16

Content = Callable[[], Iterable[bytes]]


class InvalidBundleError(ValueError):
    """Bytes that are not the one form of an archive; the text says where, and what stands there."""


@dataclass(frozen=True)
class Member:
    """A file of an archive; `content` gives its bytes from the beginning at every call."""

    name: str
    size: int
    crc: int
    content: Content

    @classmethod
    def of(cls, name: str, content: Content) -> Member:
        size = crc = 0
        for chunk in content():
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
        return cls(name, size, crc, content)

    @property
    def local_header(self) -> bytes:
        name = self.name.encode()
        return struct.pack("<IHH", LOCAL, VERSION, UTF8_NAME) + self._common() + name

    def central_header(self, offset: int) -> bytes:
        start = struct.pack("<IHHH", CENTRAL, MADE_ON_UNIX, VERSION, UTF8_NAME)
        rest = struct.pack("<HHHII", 0, 0, 0, REGULAR_0644, offset)
        return start + self._common() + rest + self.name.encode()

    def _common(self) -> bytes:
        """Stored, the date, checksum and sizes, the length of the name and of no extra field."""
        packed = struct.pack("<HHHIII", 0, MIDNIGHT, FIRST_DAY, self.crc, self.size, self.size)
        return packed + struct.pack("<HH", len(self.name.encode()), 0)


def write(members: Sequence[Member], file: BinaryIO) -> None:
    """Write the archive of these members in their order.

    Raises ValueError for names that repeat, for more than 4 GiB, and for content that is no longer what it was.
    """
    names = [member.name for member in members]
    if len(set(names)) != len(names) or len(names) > MOST_MEMBERS:
        raise ValueError("the files of an archive have different names, and are at most 65,534")
    offsets = _offsets(members)
    for member in members:
        file.write(member.local_header)
        size = crc = 0
        for chunk in member.content():
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
            file.write(chunk)
        if (size, crc) != (member.size, member.crc):
            raise ValueError(f"{member.name} changed while it was written")
    file.write(_directory(members, offsets))


def read(file: BinaryIO) -> list[Member]:
    """The members, each checked to its last byte; the file is read again where their content is asked for.

    Raises `InvalidBundleError` for a file that `write` did not write.
    """
    file.seek(0)
    by_name: dict[str, Member] = {}
    while (header := file.read(30))[:4] == struct.pack("<I", LOCAL):
        found = _member(file, header)
        if found.name in by_name:
            raise InvalidBundleError(f"{found.name!r} stands in the archive twice")
        if len(by_name) == MOST_MEMBERS:
            raise InvalidBundleError(f"the archive holds more than {MOST_MEMBERS} files")
        by_name[found.name] = found
    members = list(by_name.values())
    directory = _directory(members, _offsets(members))
    rest = header + file.read(len(directory) + 1)
    if rest != directory:
        raise InvalidBundleError(_misplaced(members, rest, directory, file.tell() - len(rest)))
    return members


def _misplaced(members: Sequence[Member], found: bytes, wanted: bytes, start: int) -> str:
    """Where, in what follows the members from `start` on, the first byte stands that should not, and what it is of."""
    places = (place for place, (one, other) in enumerate(zip(found, wanted, strict=False)) if one != other)
    at = next(places, min(len(found), len(wanted)))
    rest = at
    for member in members:
        length = len(member.central_header(0))
        if rest < length:
            return f"byte {start + at}: the directory does not say of {member.name!r} what stands with it"
        rest -= length
    return f"byte {start + at}: neither another file nor the end of an archive of {len(members)} files stands here"


def _member(file: BinaryIO, header: bytes) -> Member:
    start = file.tell() - len(header)
    if len(header) < 30:  # noqa: PLR2004 - the fixed part of a header
        raise InvalidBundleError(f"byte {start}: the archive is cut short")
    crc, size, _, length = struct.unpack_from("<IIIH", header, 14)
    encoded = file.read(length)
    try:
        name = encoded.decode()
    except UnicodeDecodeError as error:
        raise InvalidBundleError(f"byte {start + 30}: the name {encoded!r} is not UTF-8") from error
    content = partial(_content, file, file.tell(), size)
    member = Member(name, size, crc, content)
    if header + encoded != member.local_header:
        raise InvalidBundleError(f"byte {start}: the header of {name!r} is not in its one form")
    found = Member.of(name, content)
    if (found.size, found.crc) != (size, crc):
        raise InvalidBundleError(f"byte {start}: the {size} bytes of {name!r} are not those of its checksum")
    file.seek(start + len(member.local_header) + size)
    return member


def _content(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    while size:
        file.seek(start)
        chunk = file.read(min(CHUNK, size))
        if not chunk:
            return
        yield chunk
        start, size = start + len(chunk), size - len(chunk)


def _offsets(members: Sequence[Member]) -> list[int]:
    """Where each begins, and where they end."""
    offsets = [0]
    for member in members:
        offsets.append(offsets[-1] + len(member.local_header) + member.size)
    if offsets[-1] + sum(len(member.central_header(0)) for member in members) > LARGEST:
        raise ValueError("the files have more than 4 GiB together, which this form of archive does not hold")
    return offsets


def _directory(members: Sequence[Member], offsets: Sequence[int]) -> bytes:
    *starts, end = offsets
    central = b"".join(member.central_header(start) for member, start in zip(members, starts, strict=True))
    count = len(members)
    return central + struct.pack("<IHHHHIIH", END, 0, 0, count, count, len(central), end, 0)
