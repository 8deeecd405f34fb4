"""The evidence and its rows are those that the log names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from claims.canonical import sha256_hex
from claims.correction import again_sha256
from claims.entries import Entry
from claims.verifying.case import Case, require_canonical, require_enclosed
from claims.verifying.lines import CannotBeCheckedError, require


def check_evidence(case: Case) -> str:
    """Of every run: the evidence in canonical bytes, by the hash that was logged, and naming the same rows."""
    require(set(case.parts.evidence) == set(case.runs), _apart("evidence", set(case.parts.evidence), set(case.runs)))
    if not case.runs:
        raise CannotBeCheckedError("no run has evidence yet")
    for run, entry in case.runs.items():
        document, name = case.evidence_document(run), f"evidence/{run}.json"
        body = require_canonical(document, name)
        found, stated = sha256_hex(document), entry.payload["evidence_sha256"]
        require(found == stated, f"{name} has the SHA-256 {found}, and {stated} was logged")
        require_enclosed(entry.payload["evidence"], document, name)
        named, rows = body["rows_sha256"], entry.payload["rows_sha256"]
        require(named == rows, f"{name} is of the rows {named}, and the log says {rows}")
        case.recorded_evidence(run)
    return ", ".join(f"{run} sha256:{entry.payload['evidence_sha256']}" for run, entry in case.runs.items())


def check_rows(case: Case) -> str:
    """Of every run with evidence: the rows by the hash that was logged."""
    require(set(case.parts.rows) == set(case.runs), _apart("rows", set(case.parts.rows), set(case.runs)))
    if not case.runs:
        raise CannotBeCheckedError("no run has rows yet")
    again = {run for run in case.runs if again_sha256(case.recorded_evidence(run)) is not None}
    surplus = set(case.parts.again) - again
    require(not surplus, f"the bundle has rows measured a second time that the log has not: {sorted(surplus)}")
    return ", ".join(_rows(case, run, entry) for run, entry in case.runs.items())


def _rows(case: Case, run: str, entry: Entry) -> str:
    found, count = _hashed(case.row_chunks(run))
    stated = entry.payload["rows_sha256"]
    require(found == stated, f"rows/{run}.jsonl has the SHA-256 {found}, and {stated} was logged")
    if run not in case.parts.again:
        return f"{run} {count} rows sha256:{found}"
    twice, cells = _hashed(case.parts.again[run]())
    logged = again_sha256(case.recorded_evidence(run))
    require(twice == logged, f"the rows of {run} measured again have the SHA-256 {twice}, and {logged} was logged")
    return f"{run} {count} rows sha256:{found}, {cells} measured again"


def _hashed(chunks: Iterable[bytes]) -> tuple[str, int]:
    """The SHA-256 and the number of lines."""
    digest, count = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        count += chunk.count(b"\n")
    return digest.hexdigest(), count


def _apart(what: str, found: set[str], logged: set[str]) -> str:
    return f"the bundle has {what} of {sorted(found) or 'no run'}, and the log of {sorted(logged) or 'none'}"
