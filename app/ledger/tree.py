"""The Merkle tree over the log: its nodes are stored as they are completed, so a proof reads O(log n) of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import func, insert, tuple_
from sqlmodel import Session, col, select

from app.ledger.tables import EntryRow, NodeRow
from claims import merkle
from claims.merkle import Coordinate, Reader


class DamagedTreeError(LookupError):
    """A node that the log's size implies is not stored: the database was damaged or tampered with."""


def grow(session: Session, seq: int, leaf: bytes) -> None:
    """Store the nodes that the leaf at `seq` completes. The caller holds the log's lock, and has added its entry."""
    siblings = read(session, merkle.needed_by(seq))
    completed = merkle.grow(seq, leaf, siblings)
    if completed:
        rows = [{"level": level, "index": index, "hash": hash_} for (level, index), hash_ in completed.items()]
        session.execute(insert(NodeRow), rows)


def size(session: Session) -> int:
    """How many entries the log has, as this transaction sees it."""
    return session.exec(select(func.coalesce(func.max(EntryRow.seq) + 1, 0))).one()


def reader(session: Session) -> Reader:
    """What `claims.merkle` reads proofs and roots through, in this transaction."""
    return lambda wanted: read(session, wanted)


def read(session: Session, wanted: Sequence[Coordinate]) -> Mapping[Coordinate, bytes]:
    """The hashes at these coordinates; raises `DamagedTreeError` where one is missing."""
    leaves = [index for level, index in wanted if level == 0]
    inner = [(level, index) for level, index in wanted if level > 0]
    found: dict[Coordinate, bytes] = {}
    if leaves:
        query = select(EntryRow.seq, EntryRow.leaf_hash).where(col(EntryRow.seq).in_(leaves))
        found |= {(0, seq): hash_ for seq, hash_ in session.exec(query)}
    if inner:
        nodes = select(NodeRow.level, NodeRow.index, NodeRow.hash)
        query = nodes.where(tuple_(col(NodeRow.level), col(NodeRow.index)).in_(inner))  # type: ignore[assignment]
        found |= {(level, index): hash_ for level, index, hash_ in session.exec(query)}  # type: ignore[misc]
    missing = set(wanted) - found.keys()
    if missing:
        level, index = min(missing)
        raise DamagedTreeError(f"the tree lacks its node {index} of level {level}")
    return found
