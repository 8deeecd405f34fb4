"""The stored tree and every head of it that was ever signed, against the leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlmodel import Session, col, select

from app.ledger.audit.findings import Findings
from app.ledger.checkpoints import Issued
from app.ledger.tables import CheckpointRow, NodeRow
from claims import checkpoint, merkle
from claims.merkle import Coordinate
from claims.signed_note import InvalidNoteError

BATCH = 5_000


class Leaves:
    """Every node over the leaves of the log, computed anew."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.levels = [list(leaves)]
        while len(self.levels[-1]) > 1:
            below = self.levels[-1]
            self.levels.append([merkle.node_hash(*below[at : at + 2]) for at in range(0, len(below) - 1, 2)])

    @property
    def size(self) -> int:
        return len(self.levels[0])

    def root(self, size: int) -> bytes:
        return merkle.root(size, self.read)

    def read(self, wanted: Sequence[Coordinate]) -> Mapping[Coordinate, bytes]:
        return {(level, index): self.levels[level][index] for level, index in wanted}


def check_nodes(session: Session, leaves: Leaves, findings: Findings) -> None:
    """Every node is stored, as the leaves give it, and no other."""
    expected = sum(len(level) for level in leaves.levels[1:])
    count = 0
    query = select(NodeRow.level, NodeRow.index, NodeRow.hash).order_by(col(NodeRow.level), col(NodeRow.index))
    for level, index, hash_ in session.execute(query.execution_options(yield_per=BATCH)):
        where = f"tree node {level}/{index}"
        if level >= len(leaves.levels) or index >= len(leaves.levels[level]):
            findings.add(where, "it is stored, and the log has no such node")
            continue
        count += 1
        findings.expect(hash_ == leaves.levels[level][index], where, "its hash is not that of the entries below it")
    findings.expect(count == expected, "the tree", f"{expected - count} of its {expected} nodes are not stored")


def check_checkpoints(session: Session, leaves: Leaves, vkey: str, findings: Findings) -> None:
    """Every signed head says what the log says, and is signed by the log's key."""
    for row in session.exec(select(CheckpointRow).order_by(col(CheckpointRow.size))):
        where = f"checkpoint {row.size}"
        with findings.as_finding(where, InvalidNoteError):
            said = checkpoint.verify(row.note, vkey)
            findings.expect(said.size == row.size, where, f"its note is of size {said.size}")
            findings.expect(said.root == row.root, where, "its note has another root than its row")
            findings.expect(not said.extensions, where, "its note says more than origin, size and root")
        _check_root(row.size, row.root, leaves, where, findings)


def check_remembered(remembered: Iterable[Issued], leaves: Leaves, vkey: str, findings: Findings) -> None:
    """The log still says what it said when these heads were kept outside the database."""
    for one in remembered:
        where = f"remembered checkpoint {one.size}"
        with findings.as_finding(where, InvalidNoteError):
            said = checkpoint.verify(one.note, vkey)
            same = (said.size, said.root) == (one.size, one.root)
            findings.expect(same, where, "its note says otherwise than its line")
        _check_root(one.size, one.root, leaves, where, findings)


def _check_root(size: int, root: bytes, leaves: Leaves, where: str, findings: Findings) -> None:
    if size > leaves.size:
        findings.add(where, f"it is over {size} entries, and the log has {leaves.size}: its tail was cut")
    elif leaves.root(size) != root:
        findings.add(where, f"its root is not that of the first {size} entries: they are not those that were signed")
