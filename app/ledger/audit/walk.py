"""The whole log in its order: every entry's columns against its bytes, its life against the rules, its documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy
from sqlalchemy import Row, text
from sqlalchemy.exc import DataError, OperationalError
from sqlmodel import Session, col

from app.ledger import inline, projections, tree
from app.ledger.audit.canonical_form import Form
from app.ledger.audit.consequences import Consequences
from app.ledger.audit.findings import Findings, Progress
from app.ledger.audit.memory import MemoryStore
from app.ledger.comparing import comparison, says
from app.ledger.tables import EntryRow
from claims.canonical import canonical_bytes
from claims.entries import Entry, leaf_hash
from claims.evidence import Evidence
from claims.lifecycle import IllegalStepError
from claims.verdict.rule import adjudicate

BATCH = 1_000
PAYLOADS_DIFFER = """
SELECT seq FROM entries WHERE payload IS DISTINCT FROM convert_from(canonical, 'UTF8')::jsonb -> 'payload' ORDER BY seq
"""
COLUMNS = ("seq", "type", "claim", "actor", "time", "canonical", "leaf_hash")
# Where a payload encloses a document, and the member that states its hash.
ENCLOSED = {
    "registered": ("registration", "document_sha256"),
    "imported": ("record", "document_sha256"),
    "evidence_recorded": ("evidence", "evidence_sha256"),
    "corrected": ("evidence", "evidence_sha256"),
}
# What reading and judging an entry may raise that anybody at all wrote; the driver refuses a name with NUL.
DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, IllegalStepError, DataError,
)  # fmt: skip


@dataclass
class Walk:
    """The log read once. `leaves` are the hashes of the entries' bytes, `named` the blobs that entries call for."""

    session: Session
    findings: Findings
    store: MemoryStore
    leaves: list[bytes] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    _evidence: dict[str, dict[str, Any]] = field(default_factory=dict)
    _last: datetime | None = None

    def __post_init__(self) -> None:
        self._consequences = Consequences(self.store, self.findings)

    def run(self, progress: Progress) -> None:
        size = tree.size(self.session)
        for done, row in enumerate(self._rows(), start=1):
            self._examine(row)
            if done % BATCH == 0 or done == size:
                progress("entries", done, size)
        self._consequences.end()
        self.store.settle()
        self._payloads()

    def _payloads(self) -> None:
        """The column that queries read says what the bytes say: Postgres compares, where it can read the bytes."""
        try:
            with self.session.begin_nested():
                differing = list(self.session.execute(text(PAYLOADS_DIFFER)).scalars())
        except (DataError, OperationalError):  # no JSON, or too deep: found above, and in the way of the rest
            rows = self.session.execute(text("SELECT seq, payload, canonical FROM entries ORDER BY seq"))
            differing = [row.seq for row in rows if not _says(row.canonical, row.payload)]
        for seq in differing:
            self.findings.add(f"entry {seq}", "its column payload is not what its bytes say")

    def _rows(self) -> Iterator[Row[Any]]:
        columns = [getattr(EntryRow, name) for name in COLUMNS]
        query = sqlalchemy.select(*columns).order_by(col(EntryRow.seq))
        return iter(self.session.execute(query.execution_options(yield_per=BATCH)))

    def _examine(self, row: Row[Any]) -> None:
        where = f"entry {row.seq}"
        if row.seq != len(self.leaves):
            self.findings.add(where, f"it stands where entry {len(self.leaves)} should: the sequence has a gap")
        self.leaves.append(leaf_hash(row.canonical))
        self.findings.expect(row.leaf_hash == self.leaves[-1], where, "its leaf hash is not that of its bytes")
        with self.findings.as_finding(where, *DAMAGE):
            form = Form(row.canonical)
            self.findings.expect(form.canonical, where, "its bytes are not canonical JSON (RFC 8785)")
            entry = Entry.from_object(form.value)
            self._compare(where, row, entry)
            self._documents(where, entry, form)
            self._apply(where, entry)

    def _compare(self, where: str, row: Row[Any], entry: Entry) -> None:
        for column in ("seq", "type", "claim", "actor", "time"):
            stored, said = getattr(row, column), getattr(entry, column)
            self.findings.expect(stored == said, where, f"its column {column} is {stored}, its bytes say {said}")
        if self._last is not None and entry.time < self._last:
            self.findings.add(where, f"its time, {entry.time}, is before that of the entry before it")
        self._last = entry.time

    def _documents(self, where: str, entry: Entry, form: Form) -> None:
        """Hashes that a payload states are those of what it holds, or of blobs that there are."""
        member, stated = ENCLOSED.get(entry.type, ("", ""))
        if member:
            enclosed, sha256 = entry.payload[member], entry.payload[stated]
            self.store.enclosed = form.part("payload", member)
            found = hashlib.sha256(self.store.enclosed).hexdigest()
            if set(enclosed) == inline.REFERENCE:
                found = enclosed["sha256"]
                self.named.setdefault(found, where)
            self.findings.expect(found == sha256, where, f"its {stated} is not that of its {member}")
        for blob in (entry.payload.get("rows_sha256"), entry.payload.get("sha256")):
            if isinstance(blob, str):
                self.named.setdefault(blob, where)

    def _apply(self, where: str, entry: Entry) -> None:
        self._consequences.expect_before(entry)
        self._consequences.check_precedence(entry)
        state = projections.project(self.store, entry)
        if state is not None and entry.claim is not None:
            self.store.states[entry.claim] = state
        self._verdict(where, entry)
        self._consequences.follow(entry)

    def _verdict(self, where: str, entry: Entry) -> None:
        """Verdicts are what the rule gives for the evidence before them, comparisons what two measurements give."""
        if entry.type in {"evidence_recorded", "corrected"}:
            body = self.store.document(entry.payload["evidence"])
            self._evidence[entry.payload["run"]] = body
            self.findings.expect(
                body["rows_sha256"] == entry.payload["rows_sha256"], where, "its rows are not those of its evidence"
            )
            self.named |= dict.fromkeys(_again(body), where)
        if entry.type == "adjudicated":
            body = self._evidence.pop(entry.payload["run"])
            verdict = adjudicate(self.store.registration(str(entry.claim)), Evidence.model_validate(body))
            expected = verdict.as_payload(entry.payload["run"])
            same = canonical_bytes(expected) == canonical_bytes(dict(entry.payload))
            self.findings.expect(same, where, "its verdict is not the one that the rule gives for the evidence")
        if entry.type == "reproduced":
            found = comparison(self.session, str(entry.claim), entry.payload["by"], before=entry.seq)
            same = says(entry.payload, *found)
            self.findings.expect(same, where, "its comparison is not the one that the two measurements give")


def _says(canonical: bytes, payload: Mapping[str, Any]) -> bool:
    try:
        return _text(json.loads(canonical)["payload"]) == _text(payload)
    except DAMAGE:
        return True  # found already: the bytes themselves say nothing


def _again(evidence: Mapping[str, Any]) -> list[str]:
    """The blobs of rows that were measured a second time."""
    prefix = "again_sha256."
    return [name.removeprefix(prefix) for name in evidence["nondeterminism"] if name.startswith(prefix)]


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Equal for equal values alone: unlike Python's comparison, 1 is not true."""
    return json.dumps(value, sort_keys=True)
