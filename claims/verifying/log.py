"""What the log's proofs show of a bundle's entries."""

from __future__ import annotations

from itertools import pairwise

from claims.checkpoint import parse
from claims.entries import leaf_hash
from claims.lifecycle import fold
from claims.merkle import verify_inclusion
from claims.verifying.case import Case, require_canonical
from claims.verifying.lines import require


def check_entries(case: Case) -> str:
    """Every entry is canonical, at its own position, of one claim, in order of time, and may follow those before."""
    for proven, entry in zip(case.parts.entries, case.entries, strict=True):
        require_canonical(proven.canonical, f"entry {proven.index}")
        require(entry.seq == proven.index, f"entry {entry.seq} stands at index {proven.index}")
    claim = case.registered.claim
    for before, after in pairwise(case.entries):
        require(after.seq > before.seq, f"entry {after.seq} stands after entry {before.seq}")
        require(after.time >= before.time, f"entry {after.seq} is dated before entry {before.seq}")
    state = fold(case.entries)
    status = state.status if state else "nothing"
    return f"{len(case.entries)} entries of claim {claim}, each may follow those before it; it is {status}"


def check_inclusion(case: Case) -> str:
    """Every entry is a leaf of the tree whose root the checkpoint states (RFC 6962, section 2.1.1)."""
    head = parse(case.parts.checkpoint)
    for proven in case.parts.entries:
        leaf = leaf_hash(proven.canonical)
        held = verify_inclusion(leaf, proven.index, head.size, proven.proof, head.root)
        require(held, f"the proof of entry {proven.index} does not lead to the root of the checkpoint")
    return f"{len(case.parts.entries)} inclusion proofs lead to the root of the tree of {head.size} entries"
