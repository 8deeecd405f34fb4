"""Inclusion proofs of RFC 6962, verified by RFC 9162, section 2.1.3.2."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def leaf_of(canonical: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + canonical).digest()


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the proof leads from `leaf`, number `index` of `size`, to `root`."""
    if not 0 <= index < size:
        return False
    fn, sn, node = index, size - 1, leaf
    for sibling in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            node = hashlib.sha256(b"\x01" + sibling + node).digest()
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            node = hashlib.sha256(b"\x01" + node + sibling).digest()
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and node == root
