"""The stored tree and every head of it that was ever signed, against the leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from app.ledger.audit.findings import Findings
from app.ledger.checkpoints import Issued
from app.ledger.tables import CheckpointRow, NodeRow
from claims import checkpoint, merkle
from claims.merkle import Coordinate
from claims.signed_note import InvalidNoteError

BATCH = 5_000
_UNKNOWN = datetime.min.replace(tzinfo=UTC)  # a note as it is served does not say when it was signed


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
        if not (0 < level < len(leaves.levels) and 0 <= index < len(leaves.levels[level])):
            findings.add(where, "it is stored, and the log has no such node")
            continue
        count += 1
        findings.expect(hash_ == leaves.levels[level][index], where, "its hash is not that of the entries below it")
    findings.expect(count == expected, "the tree", f"{expected - count} of its {expected} nodes are not stored")


def check_checkpoints(session: Session, leaves: Leaves, vkey: str, findings: Findings) -> dict[int, Issued]:
    """Every signed head says what the log says, and is signed by the log's key; what is stored, by size."""
    stored = {}
    for row in session.exec(select(CheckpointRow).order_by(col(CheckpointRow.size))):
        stored[row.size] = Issued(row.size, row.root, row.note, row.time)
        _check(stored[row.size], leaves, vkey, f"checkpoint {row.size}", findings)
    return stored


def check_remembered(
    remembered: Iterable[Issued], stored: Mapping[int, Issued], leaves: Leaves, vkey: str, findings: Findings
) -> None:
    """The log still says what it said when these heads were kept outside the database, which still holds them."""
    for one in remembered:
        where = f"remembered checkpoint {one.size}"
        _check(one, leaves, vkey, where, findings)
        if one.size not in stored:
            findings.add(where, "it was published, and the database does not hold it")
        else:
            findings.expect(stored[one.size] == one, where, "the database holds another of that size")


def check_notes(notes: Iterable[str], leaves: Leaves, vkey: str, findings: Findings) -> None:
    """Heads as somebody was served them, perhaps with the lines of witnesses: the log still says what they say."""
    for note in notes:
        with findings.as_finding("remembered checkpoint", InvalidNoteError):
            said = checkpoint.parse(note)
            served = Issued(said.size, said.root, note, _UNKNOWN)
            _check(served, leaves, vkey, f"remembered checkpoint {said.size}", findings)


def _check(issued: Issued, leaves: Leaves, vkey: str, where: str, findings: Findings) -> None:
    with findings.as_finding(where, InvalidNoteError):
        said = checkpoint.verify(issued.note, vkey)
        findings.expect((said.size, said.root) == (issued.size, issued.root), where, "its note says otherwise than it")
        findings.expect(not said.extensions, where, "its note says more than origin, size and root")
    if not 0 < issued.size <= leaves.size:
        findings.add(where, f"it is over {issued.size} entries, and the log has {leaves.size}: its tail was cut")
    elif leaves.root(issued.size) != issued.root:
        what = f"its root is not that of the first {issued.size} entries: they are not those that were signed"
        findings.add(where, what)
