"""Proofs from the stored tree: that an entry is in the log, and that a later log continues an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.ledger import tree
from app.ledger.tables import EntryRow
from claims import merkle


@dataclass(frozen=True)
class ProvenEntry:
    """An entry's canonical bytes, and the audit path from its leaf to the root of a tree."""

    index: int
    canonical: bytes
    proof: Sequence[bytes]


def inclusion(session: Session, index: int, size: int) -> list[bytes]:
    """The audit path of the entry at `index` in the tree over the first `size` (RFC 6962, 2.1.1).

    Raises ValueError for an index outside that tree, or a size that the log does not have.
    """
    _check_size(session, size)
    return merkle.inclusion(index, size, tree.reader(session))


def consistency(session: Session, first: int, second: int) -> list[bytes]:
    """The proof that the tree over `second` entries begins with that over `first` (RFC 6962, 2.1.2).

    Raises ValueError for sizes in the wrong order, or one that the log does not have.
    """
    _check_size(session, second)
    return merkle.consistency(first, second, tree.reader(session))


def proven_entries(session: Session, claim: str, size: int) -> list[ProvenEntry]:
    """Every entry of the claim among the first `size`, each with its path to their root."""
    read = tree.reader(session)
    query = select(EntryRow.seq, EntryRow.canonical).where(EntryRow.claim == claim, EntryRow.seq < size)
    return [
        ProvenEntry(seq, canonical, merkle.inclusion(seq, size, read))
        for seq, canonical in session.exec(query.order_by(col(EntryRow.seq)))
    ]


def _check_size(session: Session, size: int) -> None:
    known = tree.size(session)
    if size > known:
        raise ValueError(f"the log has {known} entries, not {size}")
