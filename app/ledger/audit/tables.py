"""The tables that people query, row by row and column by column, against what the log gives."""

from __future__ import annotations

from typing import Any

from sqlmodel import Session, select

from app.ledger.audit.findings import Findings, Progress
from app.ledger.audit.memory import MemoryStore, Row, digested
from app.ledger.tables import (
    Base,
    ClaimRow,
    DatasetRow,
    EvidenceRow,
    ForecastRow,
    HypothesisRow,
    ImportRow,
    LinkRow,
    RunRow,
)

PROJECTED: tuple[type[Base], ...] = (
    ClaimRow,
    HypothesisRow,
    LinkRow,
    DatasetRow,
    EvidenceRow,
    RunRow,
    ForecastRow,
    ImportRow,
)
# What the work queue keeps in a projected row.
OF_THE_QUEUE: dict[type[Base], set[str]] = {RunRow: {"joins", "failure"}}
BATCH = 500


def check_tables(session: Session, store: MemoryStore, findings: Findings, progress: Progress) -> None:
    """Every row is there, equal in every column, and no other."""
    for done, table in enumerate(PROJECTED):
        progress("tables", done, len(PROJECTED))
        _check(session, table, store, findings)
    progress("tables", len(PROJECTED), len(PROJECTED))


def _check(session: Session, table: type[Base], store: MemoryStore, findings: Findings) -> None:
    expected, columns = store.tables[table], store.key_of(table)
    names = [
        column.name
        for column in table.__table__.columns  # type: ignore[attr-defined]
        if column.computed is None and column.name not in OF_THE_QUEUE.get(table, set())
    ]
    query = select(*(getattr(table, name) for name in names)).execution_options(yield_per=BATCH)
    seen = 0
    for found in session.execute(query).mappings():
        key = tuple(found[column] for column in columns)
        where = f"{table.__tablename__} {' '.join(map(str, key))}"
        if key not in expected:
            findings.add(where, "the row stands there, and nothing in the log says so")
            continue
        seen += 1
        _compare(where, found, expected[key], names, findings)
    if seen < len(expected):
        present = {tuple(row) for row in session.execute(select(*(getattr(table, name) for name in columns)))}
        for key in expected.keys() - present:
            findings.add(f"{table.__tablename__} {' '.join(map(str, key))}", "the log says so, and no row stands there")


def _compare(where: str, found: Any, expected: Row, names: list[str], findings: Findings) -> None:  # noqa: ANN401
    for name in names:
        stored, said = digested(found[name]), expected.get(name)
        if isinstance(stored, float) and type(said) is int:
            said = float(said)  # RFC 8785 writes 1.0 as 1
        if stored != said or type(stored) is not type(said):
            findings.add(f"{where}: {name}", f"it is {stored}, and the log says {said}")
