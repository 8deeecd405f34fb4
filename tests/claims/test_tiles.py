import hashlib
import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims import tiles
from claims.entries import leaf_hash
from claims.merkle import Coordinate, MissingNodeError, grow, needed_by, root_of

SIZE = 70_000
# The specification's example, C2SP tlog-tiles, "Partial Tiles": what a tree of 70,000 entries is served as.
SPECIFIED = {0: (273, 112), 1: (1, 17), 2: (0, 1)}
SPELLINGS = [
    (0, 256, "000"),
    (999, 256, "999"),
    (1000, 256, "x001/000"),
    (1_000_000, 256, "x001/x000/000"),
    (1_234_067, 256, "x001/x234/067"),  # the specification's example
    (1_234_067, 45, "x001/x234/067.p/45"),
    (273, 112, "273.p/112"),
    (999_999_999_999_999_999, 255, "x999/x999/x999/x999/x999/999.p/255"),
]


@pytest.fixture(scope="module")
def leaves() -> list[bytes]:
    return [hashlib.sha256(seq.to_bytes(4)).digest() for seq in range(SIZE)]


@pytest.fixture(scope="module")
def nodes(leaves) -> dict[Coordinate, bytes]:
    stored: dict[Coordinate, bytes] = {}
    for seq, leaf in enumerate(leaves):
        stored[0, seq] = leaf
        stored |= grow(seq, leaf, {coordinate: stored[coordinate] for coordinate in needed_by(seq)})
    return stored


@pytest.mark.parametrize(("index", "width", "path"), SPELLINGS)
def test_spellings_in_both_directions(index, width, path):
    assert tiles.path_of(index, width) == path
    assert tiles.parse_path(path) == (index, width)


@given(st.integers(0, 2**63), st.integers(1, 256))
def test_every_tile_has_one_spelling(index, width):
    assert tiles.parse_path(tiles.path_of(index, width)) == (index, width)


@pytest.mark.parametrize(
    "path",
    [
        *("", "0", "00", "0000", "67", "1234067", "x067", "001/234", "x001/x234", "x1/234", "x001/23", "x001//234"),
        *("x000/067", "x000/x001/067", "X001/234", "x001/234/", "/x001/234", "x001\\234", "-01", "+01", " 067", "0_7"),
        *("067.p", "067.p/", "067.p/0", "067.p/05", "067.p/256", "067.p/257", "067.p/1000", "067.p/-1", "067.p/4a"),
        *("067.p/45/", "067p/45", "067/p/45", "067.P/45", "067.p/45\n", "067\n", "٠٦٧", "067.p/٤", "../067", "067%2E"),
        "x001/" * 40 + "067",
        "9" * 5000,
    ],
)
def test_every_other_spelling_is_refused(path):
    with pytest.raises(ValueError, match="is no tile"):
        tiles.parse_path(path)


@given(st.text(alphabet="x0123456789/.p", max_size=24))
def test_what_is_parsed_is_spelt_in_its_one_way(text):
    try:
        index, width = tiles.parse_path(text)
    except ValueError:
        return
    assert tiles.path_of(index, width) == text


def test_levels():
    assert [tiles.parse_level(str(level)) for level in range(64)] == list(range(64))
    for bad in ("", "00", "01", "64", "99", "100", "-1", "+1", " 1", "1\n", "a", "٣", "1.0"):
        with pytest.raises(ValueError, match="is no level"):
            tiles.parse_level(bad)


def test_a_tree_of_70000_entries_has_the_tiles_of_the_specification():
    for level, (index, width) in SPECIFIED.items():
        assert all(tiles.exists(level, full, 256, SIZE) for full in range(index))
        assert tiles.exists(level, index, width, SIZE)
        assert not tiles.exists(level, index, width + 1, SIZE)
        assert not tiles.exists(level, index + 1, 1, SIZE)
    assert not tiles.exists(3, 0, 1, SIZE)
    assert tiles.exists(0, 0, 256, 256)
    assert tiles.exists(1, 0, 1, 256)
    assert not tiles.exists(0, 0, 1, 0)
    assert not tiles.exists(1, 0, 1, 255)


def test_every_hash_above_a_tile_is_the_root_of_a_full_tile_below(nodes):
    def hashes(level: int, index: int, width: int) -> list[bytes]:
        data = tiles.tile_bytes(level, index, width, lambda wanted: {each: nodes[each] for each in wanted})
        assert len(data) == 32 * width
        return [data[start : start + 32] for start in range(0, len(data), 32)]

    for below, above in pairwise(SPECIFIED):
        index, width = SPECIFIED[above]
        for place in range(index + 1):
            for offset, hash_ in enumerate(hashes(above, place, 256 if place < index else width)):
                assert root_of(hashes(below, 256 * place + offset, 256)) == hash_


def test_the_tiles_of_level_0_are_the_leaves_and_read_at_once(leaves, nodes):
    calls = []

    def read(wanted):
        calls.append(list(wanted))
        return {each: nodes[each] for each in wanted}

    assert tiles.tile_bytes(0, 273, 112, read) == b"".join(leaves[69_888:])
    assert calls == [[(0, index) for index in range(69_888, 70_000)]]
    assert tiles.tile_coordinates(2, 3, 2) == [(16, 768), (16, 769)]


def test_a_tile_that_is_not_there_yet(nodes):
    with pytest.raises(MissingNodeError, match="lacks 1 of 113 hashes"):
        tiles.tile_bytes(0, 273, 113, lambda wanted: {each: nodes[each] for each in wanted if each in nodes})


@pytest.mark.parametrize(("level", "index", "width"), [(-1, 0, 1), (64, 0, 1), (0, -1, 1), (0, 0, 0), (0, 0, 257)])
def test_what_no_tile_can_be(level, index, width):
    for refused in (tiles.tile_coordinates, lambda *place: tiles.exists(*place, SIZE)):
        with pytest.raises(ValueError, match="no tile has"):
            refused(level, index, width)


@given(st.lists(st.binary(max_size=70), min_size=1, max_size=256))
def test_a_bundle_gives_its_entries_back(entries):
    data, found = tiles.entries_bundle(entries), []
    while data:
        (length,) = struct.unpack(">H", data[:2])
        found.append(data[2 : 2 + length])
        data = data[2 + length :]
    assert found == entries
    assert [leaf_hash(entry) for entry in found] == [hashlib.sha256(b"\0" + entry).digest() for entry in entries]


def test_a_bundle_in_bytes():
    assert tiles.entries_bundle([b"", b"ab", b"c" * 258]) == b"\0\0" + b"\0\2ab" + b"\1\2" + b"c" * 258


def test_what_a_bundle_cannot_hold():
    assert tiles.entries_bundle([b"x" * 65_535])[:2] == b"\xff\xff"
    with pytest.raises(ValueError, match="entry 1 of the bundle has 65536 bytes"):
        tiles.entries_bundle([b"", b"x" * 65_536])
    for count in (0, 257):
        with pytest.raises(ValueError, match="1 to 256 entries"):
            tiles.entries_bundle([b""] * count)
