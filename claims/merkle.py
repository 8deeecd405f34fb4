"""The Merkle tree of the log: RFC 6962 section 2.1, verified by the algorithms of RFC 9162 section 2.1.

A leaf hash, node or root is 32 raw bytes. A node at (level, index) is the hash of the complete subtree over the leaves
from index · 2^level up to (index + 1) · 2^level; those at level 0 are the leaf hashes. Such a node never changes once
its last leaf is there, so that a tree of any size can be read from stored nodes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
_NODE = b"\x01"

Coordinate: TypeAlias = tuple[int, int]
"""(level, index) of a complete subtree."""
Reader: TypeAlias = Callable[[Sequence[Coordinate]], Mapping[Coordinate, bytes]]
"""Fetches many stored nodes at once; what it does not find it leaves out."""
_Range: TypeAlias = tuple[int, int]
"""[start, stop): the leaves under one hash of a proof."""


class MissingNodeError(LookupError):
    """A tree of that size has a node which the reader did not give."""


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(0x01 ‖ left ‖ right), RFC 6962 section 2.1; ValueError unless both are 32 bytes."""
    if len(left) != HASH_BYTES or len(right) != HASH_BYTES:
        raise ValueError(f"a node is the hash of two hashes of 32 bytes, not of {len(left)} and {len(right)}")
    return hashlib.sha256(_NODE + left + right).digest()


def completed_by(seq: int) -> list[Coordinate]:
    """The inner nodes that become complete with leaf `seq`, lowest first: one for each trailing one bit of `seq`."""
    _check(seq >= 0, f"a leaf has a number from 0, not {seq}")
    trailing_ones = (~seq & (seq + 1)).bit_length() - 1
    return [(level, seq >> level) for level in range(1, trailing_ones + 1)]


def needed_by(seq: int) -> list[Coordinate]:
    """The left siblings that the nodes of `completed_by(seq)` are hashed from, in the same order."""
    return [(level - 1, index << 1) for level, index in completed_by(seq)]


def grow(seq: int, leaf: bytes, siblings: Mapping[Coordinate, bytes]) -> dict[Coordinate, bytes]:
    """The hashes of the inner nodes that leaf `seq` completes, from the nodes that `needed_by(seq)` names.

    Raises `MissingNodeError` when one of them is not given.
    """
    grown: dict[Coordinate, bytes] = {}
    node = leaf
    for completed, sibling in zip(completed_by(seq), needed_by(seq), strict=True):
        node = node_hash(_node(siblings, sibling), node)
        grown[completed] = node
    return grown


def root(size: int, read: Reader) -> bytes:
    """The Merkle tree hash of the first `size` leaves, MTH of RFC 6962 section 2.1.

    Reads at most log2(size) + 1 nodes, in one call of `read`. ValueError for a negative size.
    """
    _check(size >= 0, f"a tree has 0 leaves or more, not {size}")
    return _hashes([(0, size)], read)[0] if size else EMPTY_ROOT


def inclusion(index: int, size: int, read: Reader) -> list[bytes]:
    """The proof that leaf `index` is in the tree of `size` leaves, PATH of RFC 6962 section 2.1.1: lowest node first.

    Reads fewer than 2 · log2(size) + 1 nodes, in one call of `read`. ValueError unless 0 <= index < size.
    """
    _check(0 <= index < size, f"a tree of {size} leaves has none with number {index}")
    return _hashes(_path(index, 0, size), read)


def consistency(first: int, second: int, read: Reader) -> list[bytes]:
    """The proof that the tree of `second` leaves extends that of `first`, PROOF of RFC 6962 section 2.1.2.

    Empty for equal sizes, and for the empty tree, which every tree extends. Reads O(log second) nodes, in one call of
    `read`. ValueError unless 0 <= first <= second.
    """
    _check(0 <= first <= second, f"a tree of {second} leaves does not extend one of {first}")
    return _hashes(_subproof(first, 0, second, whole=True), read) if first else []


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof shows `leaf` at `index` of the tree with this size and root (RFC 9162 section 2.1.3.2).

    False, never an error, for numbers out of range and for hashes that are not 32 bytes.
    """
    if not 0 <= index < size or not _are_hashes(leaf, root, *proof):
        return False
    fn, sn, node = index, size - 1, leaf
    for sibling in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            node = node_hash(sibling, node)
            fn, sn = _skip_missing_siblings(fn, sn)
        else:
            node = node_hash(node, sibling)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and node == root


def verify_consistency(first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that the tree of `second` leaves extends that of `first` (RFC 9162 section 2.1.4.2).

    The empty tree, which the RFC leaves out, is extended by every tree, with an empty proof. False, never an error,
    for numbers out of range and for hashes that are not 32 bytes.
    """
    if not 0 <= first <= second or not _are_hashes(first_root, second_root, *proof):
        return False
    if first == second:
        return not proof and first_root == second_root and (first > 0 or first_root == EMPTY_ROOT)
    if first == 0:
        return not proof and first_root == EMPTY_ROOT
    # A complete first tree is itself a node of the second: the proof leaves out what the verifier has.
    path = [first_root, *proof] if first & (first - 1) == 0 else list(proof)
    return bool(proof) and _climb_both(first, second, path) == (first_root, second_root)


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root over these leaf hashes, computed from nothing else, as they come: O(log n) hashes are held.

    ValueError for a leaf hash that is not 32 bytes.
    """
    complete: list[bytes] = []  # the complete subtrees so far, largest first
    for seq, leaf in enumerate(leaves):
        _check(_are_hashes(leaf), f"the hash of leaf {seq} has {len(leaf)} bytes, not 32")
        node = leaf
        for _ in completed_by(seq):
            node = node_hash(complete.pop(), node)
        complete.append(node)
    return _joined(complete) if complete else EMPTY_ROOT


def _climb_both(first: int, second: int, path: Sequence[bytes]) -> tuple[bytes, bytes] | None:
    """The roots of both trees that `path` leads to; None where it is too long or too short."""
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for node in path[1:]:
        if sn == 0:
            return None
        if fn & 1 or fn == sn:
            fr, sr = node_hash(node, fr), node_hash(node, sr)
            fn, sn = _skip_missing_siblings(fn, sn)
        else:
            sr = node_hash(sr, node)
        fn, sn = fn >> 1, sn >> 1
    return (fr, sr) if sn == 0 else None


def _skip_missing_siblings(fn: int, sn: int) -> tuple[int, int]:
    """A last node without a right sibling stands for its parent: go up to where it is a right child."""
    while fn and not fn & 1:
        fn, sn = fn >> 1, sn >> 1
    return fn, sn


def _path(index: int, start: int, stop: int) -> list[_Range]:
    if stop - start == 1:
        return []
    middle = start + _split(stop - start)
    if index < middle:
        return [*_path(index, start, middle), (middle, stop)]
    return [*_path(index, middle, stop), (start, middle)]


def _subproof(first: int, start: int, stop: int, *, whole: bool) -> list[_Range]:
    """SUBPROOF of RFC 6962 section 2.1.2; `whole` while the first tree's root is the hash left out of the proof."""
    if first == stop:
        return [] if whole else [(start, stop)]
    middle = start + _split(stop - start)
    if first <= middle:
        return [*_subproof(first, start, middle, whole=whole), (middle, stop)]
    return [*_subproof(first, middle, stop, whole=False), (start, middle)]


def _split(width: int) -> int:
    """The largest power of two below `width`, which is at least 2."""
    return 1 << ((width - 1).bit_length() - 1)


def _hashes(ranges: Sequence[_Range], read: Reader) -> list[bytes]:
    """The hash over each range of leaves, every stored node among them read in one call."""
    parts = [_complete_subtrees(start, stop) for start, stop in ranges]
    wanted = [coordinate for part in parts for coordinate in part]
    nodes = read(wanted) if wanted else {}
    return [_joined([_node(nodes, coordinate) for coordinate in part]) for part in parts]


def _complete_subtrees(start: int, stop: int) -> list[Coordinate]:
    """The largest complete subtrees that make up a range which starts where a subtree of its width may start."""
    width, subtrees = stop - start, []
    for level in reversed(range(width.bit_length())):
        if width >> level & 1:
            subtrees.append((level, start >> level))
            start += 1 << level
    return subtrees


def _joined(complete: Sequence[bytes]) -> bytes:
    """One hash over complete subtrees given from the left, largest first: the smaller ones are joined first."""
    return reduce(lambda right, left: node_hash(left, right), reversed(complete))


def _node(nodes: Mapping[Coordinate, bytes], coordinate: Coordinate) -> bytes:
    if coordinate not in nodes:
        level, index = coordinate
        raise MissingNodeError(f"the tree has no node {index} at level {level}, which this hash is made from")
    return nodes[coordinate]


def _are_hashes(*hashes: bytes) -> bool:
    return all(len(each) == HASH_BYTES for each in hashes)


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
