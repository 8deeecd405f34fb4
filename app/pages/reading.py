"""From the ledger's records to what the pages show. Everything is read in the session given, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.ledger import blobs, overdue, queries, records
from app.ledger.database import Ledger
from app.ledger.families import families, numbers
from app.ledger.log import history
from app.ledger.queries import ClaimSummary
from app.pages import related
from app.pages.claim.record import ClaimRecord, Reason, Work
from app.pages.lines import ClaimLine, Found, primary_lines
from claims.entries import Entry
from claims.evidence import Evidence
from claims.precedence import why
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate
from claims.verdict.voids import VoidReason


def claim_record(session: Session, claim: str, overdue_hours: int) -> ClaimRecord | None:
    """What the ledger holds of one claim, which is overdue after these hours; None when there is none."""
    summary = queries.get_claim(session, claim)
    if summary is None:
        return None
    registration = queries.registrations(session, [claim])[claim]
    entries = history(session, claim)
    found = records.evidence_of(session, claim)
    evidence = Evidence.model_validate(found.body) if found else None
    reasons, recomputed = _reasons(entries, registration, evidence)
    return ClaimRecord(
        id=claim,
        status=summary.status,
        precedence=summary.precedence,
        precedence_why=why(summary.precedence),
        trust=summary.trust,
        contested=summary.contested,
        registrant=summary.registrant,
        document=queries.document(session, claim) or b"",
        document_sha256=summary.document_sha256,
        registration=registration,
        entries=entries,
        evidence=evidence,
        evidence_sha256=found.sha256 if found else None,
        rows_sha256=found.rows_sha256 if found else None,
        recomputed=recomputed,
        voids=reasons,
        links=records.links_of(session, claim),
        comparisons=related.comparisons(session, entries),
        original=related.original(session, entries),
        ground=related.ground(session, entries, registration.builds_on),
        covered=related.covered(session, entries),
        work=_work(session, summary),
        tried=families(session, claim, overdue_hours),
        overdue=claim in overdue.among(session, [claim], overdue_hours),
    )


def rows(ledger: Ledger, sha256: str) -> Iterator[bytes]:
    """The rows of a run in parts, none of which is held once it is read. Raises `BlobError` when they are damaged."""
    with ledger.begin() as session:
        size = blobs.size(session, sha256)
    return blobs.stream(ledger, sha256, size)


def claim_lines(session: Session, summaries: Sequence[ClaimSummary], overdue_hours: int) -> list[ClaimLine]:
    claims = [summary.id for summary in summaries]
    registrations, attempts = queries.registrations(session, claims), numbers(session, claims)
    late = overdue.among(session, claims, overdue_hours)
    return [_line(one, registrations[one.id], attempts[one.id], late=one.id in late) for one in summaries]


def _line(summary: ClaimSummary, registration: Registration, attempt: tuple[int, int], *, late: bool) -> ClaimLine:
    found = {one.id: Found(one.estimate, one.lo, one.hi, one.outcome) for one in summary.hypotheses}
    return ClaimLine(
        id=summary.id,
        title=summary.title,
        statement=summary.statement,
        status=summary.status,
        superseded_by=summary.superseded_by,
        contested=summary.contested,
        overdue=late,
        attempt=attempt,
        precedence=summary.precedence,
        model=summary.model,
        instrument=summary.instrument,
        registrant=summary.registrant,
        filed=summary.filed,
        judged=summary.judged,
        hypotheses=primary_lines(registration.primaries, found),
    )


def _work(session: Session, summary: ClaimSummary) -> Work | None:
    """The deciding run, or before any was opened the first one queued."""
    runs = records.runs_of(session, summary.id)
    run = next((one for one in runs if summary.run in {None, one.id}), None)
    if run is None:
        return None
    return Work(
        run=run.id,
        status=run.status,
        rows_done=run.rows_done,
        rows_total=run.rows_total,
        shards_done=run.shards_done,
        shards_total=run.shards_total,
        eta_seconds=run.eta_seconds,
        failure=run.failure,
    )


def _reasons(
    entries: Sequence[Entry], registration: Registration, evidence: Evidence | None
) -> tuple[list[Reason], bool | None]:
    """Why anything is void, and whether the logged verdict follows from the evidence when it is computed again.

    The log names the reason alone; figures and remedy follow from the evidence, as the verdict itself does.
    """
    last = next((entry for entry in reversed(entries) if entry.type in {"adjudicated", "voided"}), None)
    if last is None:
        return [], None
    if last.type == "voided" or evidence is None:
        return [_logged(last.payload)] if last.type == "voided" else [], None
    verdict = adjudicate(registration, evidence)
    if verdict.as_payload(last.payload["run"]) != dict(last.payload):
        return _named(last.payload), False
    return [Reason(void.reason.value, void.hypothesis, void.figures, void.remedy) for void in verdict.voids], True


def _logged(payload: Mapping[str, Any]) -> Reason:
    return Reason(payload["reason"], None, payload["figures"], payload["remedy"])


def _named(payload: Mapping[str, Any]) -> list[Reason]:
    void = [one for one in payload["hypotheses"] if one["void_reason"]]
    return [Reason(one["void_reason"], one["id"], {}, VoidReason(one["void_reason"]).remedy) for one in void]
