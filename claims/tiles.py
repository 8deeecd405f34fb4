"""The tree and the entries as static tiles, after C2SP tlog-tiles (https://c2sp.org/tlog-tiles).

Tile `index` of `level` is 256 consecutive node hashes, or fewer at the right edge of a tree: the nodes at height
8 · level, from 256 · index on. An entry bundle is the entries under a tile of level 0.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from claims.merkle import Coordinate, MissingNodeError, Reader

FULL_WIDTH = 256
HIGHEST_LEVEL = 63
LONGEST_ENTRY = 65_535  # bytes: what a length of 16 bits can tell
_HEIGHT = 8
_GROUP = 1000
_LENGTH = struct.Struct(">H")
# Seven groups of digits reach beyond the 2^63 entries that any log of this kind may have.
_PATH = re.compile(r"(?P<index>(?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/(?P<width>[0-9]{1,3}))?")
_LEVEL = re.compile(r"[0-9]{1,2}")


def path_of(index: int, width: int = FULL_WIDTH) -> str:
    """The last part of a tile's URL: 1234067 is `x001/x234/067`, with `.p/45` behind it where 45 hashes are there.

    ValueError for a negative index, or a width that is not 1 to 256.
    """
    _check_place(0, index, width)
    rest, last = divmod(index, _GROUP)
    groups = [f"{last:03}"]
    while rest:
        rest, group = divmod(rest, _GROUP)
        groups.insert(0, f"x{group:03}")
    return "/".join(groups) + (f".p/{width}" if width < FULL_WIDTH else "")


def parse_path(path: str) -> tuple[int, int]:
    """(index, width) of the last part of a tile's URL; ValueError for every spelling that `path_of` does not give."""
    match = _PATH.fullmatch(path)
    if match:
        index = int(match["index"].replace("x", "").replace("/", ""))
        width = int(match["width"] or FULL_WIDTH)
        if 0 < width <= FULL_WIDTH and path_of(index, width) == path:
            return index, width
    raise ValueError(
        f"{path[:80]!r} is no tile: groups of three digits as x001/x234/067, then .p/1 to .p/255 or nothing"
    )


def parse_level(text: str) -> int:
    """The level of a tile's URL; ValueError unless it is 0 to 63 in decimal without leading zeros."""
    if not _LEVEL.fullmatch(text) or int(text) > HIGHEST_LEVEL or str(int(text)) != text:
        raise ValueError(f"{text[:80]!r} is no level of tiles: 0 to {HIGHEST_LEVEL}, without leading zeros")
    return int(text)


def exists(level: int, index: int, width: int, size: int) -> bool:
    """Whether every hash of the tile is in the tree of `size` leaves, whose right edge need not be there."""
    _check_place(level, index, width)
    return FULL_WIDTH * index + width <= size >> (_HEIGHT * level)


def tile_coordinates(level: int, index: int, width: int) -> list[Coordinate]:
    """The nodes whose hashes the tile is, from the left; ValueError for what cannot be a tile."""
    _check_place(level, index, width)
    return [(_HEIGHT * level, FULL_WIDTH * index + offset) for offset in range(width)]


def tile_bytes(level: int, index: int, width: int, read: Reader) -> bytes:
    """The tile's hashes, 32 · width bytes, read in one call; `MissingNodeError` where the log has not grown so far."""
    wanted = tile_coordinates(level, index, width)
    nodes = read(wanted)
    if missing := [coordinate for coordinate in wanted if coordinate not in nodes]:
        raise MissingNodeError(f"tile {path_of(index, width)} of level {level} lacks {len(missing)} of {width} hashes")
    return b"".join(nodes[coordinate] for coordinate in wanted)


def entries_bundle(canonicals: Sequence[bytes]) -> bytes:
    """The entries of one tile of level 0: each with its length before it, in two bytes, the higher first.

    ValueError for an entry of more than 65,535 bytes, and for no entries or more than 256.
    """
    if not 0 < len(canonicals) <= FULL_WIDTH:
        raise ValueError(f"a bundle holds 1 to {FULL_WIDTH} entries, not {len(canonicals)}")
    for offset, canonical in enumerate(canonicals):
        if len(canonical) > LONGEST_ENTRY:
            raise ValueError(f"entry {offset} of the bundle has {len(canonical)} bytes: {LONGEST_ENTRY} at most")
    return b"".join(_LENGTH.pack(len(canonical)) + canonical for canonical in canonicals)


def _check_place(level: int, index: int, width: int) -> None:
    if not (0 <= level <= HIGHEST_LEVEL and index >= 0 and 0 < width <= FULL_WIDTH):
        raise ValueError(
            f"no tile has level {level}, index {index}, width {width}: "
            f"0 to {HIGHEST_LEVEL}, 0 or more, 1 to {FULL_WIDTH}"
        )
