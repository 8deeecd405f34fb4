"""Every verdict of the log, given again by the rule."""

from __future__ import annotations

from claims.canonical import sha256_hex
from claims.entries import Entry
from claims.evidence import Evidence
from claims.verdict.rule import adjudicate, void_without_evidence
from claims.verifying.case import Case, require_canonical, require_enclosed
from claims.verifying.lines import CannotBeCheckedError, require


def check_verdict(case: Case) -> str:
    """Every `adjudicated` is what the rule makes of registration and evidence; every void has its listed remedy."""
    judged = case.of_type("adjudicated", "voided")
    if not judged:
        raise CannotBeCheckedError("nothing has been judged yet")
    said = [_adjudicated(case, entry) if entry.type == "adjudicated" else _voided(case, entry) for entry in judged]
    return "the rule gives " + ", then ".join(said)


def check_corrections(case: Case) -> str:
    """Every correction is of evidence from the same rows, and a verdict follows it."""
    corrections = case.of_type("corrected")
    surplus = set(case.parts.corrections) - {entry.seq for entry in corrections}
    require(not surplus, f"the bundle has corrections that the log has not: {sorted(surplus)}")
    if not corrections:
        return "none was made"
    for entry in corrections:
        run, payload, document = entry.payload["run"], entry.payload, case.correction(entry)
        name = f"the evidence of the correction {entry.seq}"
        found, stated = sha256_hex(document), payload["evidence_sha256"]
        require(found == stated, f"{name} has the SHA-256 {found}, and {stated} was logged")
        require_canonical(document, name)
        require_enclosed(payload["evidence"], document, name)
        rows = {payload["rows_sha256"], case.corrected_evidence(entry).rows_sha256}
        require(rows == {case.runs[run].payload["rows_sha256"]}, f"{name} is of other rows than were measured")
        after = [later for later in case.of_type("adjudicated") if later.seq > entry.seq]
        require(bool(after), f"entry {entry.seq} corrects, and no verdict follows it")
    told = "; ".join(f"entry {entry.seq}: {entry.payload['cause']}" for entry in corrections)
    return f"{len(corrections)}, each from the same rows and judged again: {told}"


def _adjudicated(case: Case, entry: Entry) -> str:
    run = entry.payload["run"]
    verdict = adjudicate(case.registration, _evidence_before(case, run, entry.seq))
    given, stated = verdict.as_payload(run), dict(entry.payload)
    require(
        given["status"] == stated["status"],
        f"the rule gives {given['status']}, and entry {entry.seq} says {stated['status']}",
    )
    for mine, theirs in zip(given["hypotheses"], stated["hypotheses"], strict=True):
        require(mine == theirs, f"the rule gives {mine}, and entry {entry.seq} says {theirs}")
    require(given == stated, f"entry {entry.seq} says more than the rule gives: {sorted(stated.keys() ^ given.keys())}")
    return f"{verdict.status} ({', '.join(f'{one.id} {one.outcome}' for one in verdict.hypotheses)})"


def _evidence_before(case: Case, run: str, seq: int) -> Evidence:
    """What the run was judged by at this entry: its evidence, or the last correction of it before."""
    corrections = [entry for entry in case.of_type("corrected") if entry.payload["run"] == run and entry.seq < seq]
    return case.corrected_evidence(corrections[-1]) if corrections else case.recorded_evidence(run)


def _voided(case: Case, entry: Entry) -> str:
    payload = entry.payload
    verdict = void_without_evidence(case.registration, payload["reason"], payload["figures"])
    remedy = verdict.voids[0].remedy
    require(payload["remedy"] == remedy, f"entry {entry.seq} has another remedy than {payload['reason']} has: {remedy}")
    return f"void ({payload['reason']}), without evidence"
