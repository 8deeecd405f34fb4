"""The end of a run: its evidence and the verdict, or why there is none, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.ledger import blobs
from app.ledger.append import LEDGER, append
from app.ledger.comparing import compare_judged
from app.ledger.inline import enclose
from app.ledger.tables import ClaimRow, RunRow, ShardRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import format_time
from claims.evidence import Evidence, Refusal
from claims.registration.model import Registration
from claims.verdict.rule import Verdict, adjudicate, void_without_evidence

ROWS = "application/jsonl"
MACHINE = "machine"  # in a shard's source, which machine measured it; null where that is unknown


def record_evidence(session: Session, run: RunRow, evidence: Evidence, rows: bytes | BinaryIO) -> Verdict:
    """Record what the run found and what follows from it: `run_ended`, `evidence_recorded`, `adjudicated`.

    Where the claim reproduces another, or is reproduced, and both are judged, `reproduced` follows too.

    The caller holds the run, which is running. Raises `claims.lifecycle.IllegalStepError` for a run that has its
    evidence already, and ValueError for rows that are not those of the evidence.
    """
    if blobs.put(session, rows, ROWS) != evidence.rows_sha256:
        raise ValueError(f"the rows are not those of the evidence, sha256:{evidence.rows_sha256}")
    body = evidence.model_dump(mode="json", by_alias=True)
    canonical = canonical_bytes(body)
    recorded = {
        "run": run.id,
        "evidence": enclose(session, body, canonical),
        "evidence_sha256": sha256_hex(canonical),
        "rows_sha256": evidence.rows_sha256,
    }
    verdict = adjudicate(registration_of(session, run), evidence)
    _end(session, run, "ended", evidence.provenance.started, evidence.provenance.finished)
    append(session, "evidence_recorded", run.claim, LEDGER, recorded)
    append(session, "adjudicated", run.claim, LEDGER, verdict.as_payload(run.id))
    compare_judged(session, run.claim)
    return verdict


def record_refusal(session: Session, run: RunRow, refusal: Refusal) -> None:
    """Record that the instrument refused: the run is void, `instrument_refused`. The caller holds the run."""
    body = refusal.model_dump(mode="json")
    append(session, "refused", run.claim, LEDGER, {"run": run.id, "refusal": body})
    record_void(session, run, "instrument_refused", body)


def record_void(session: Session, run: RunRow, reason: str, figures: Mapping[str, Any]) -> None:
    """Record that the run ended without evidence, and why. The caller holds the run, which was opened."""
    verdict = void_without_evidence(registration_of(session, run), reason, figures)
    void = verdict.voids[0]
    _end(session, run, "voided", _opened(session, run), _now(session))
    recorded = {"run": run.id, "reason": void.reason.value, "figures": dict(void.figures), "remedy": void.remedy}
    append(session, "voided", run.claim, LEDGER, recorded)


def registration_of(session: Session, run: RunRow) -> Registration:
    document = session.exec(select(ClaimRow.registration).where(ClaimRow.id == run.claim)).one()
    return Registration.model_validate(document)


def _end(session: Session, run: RunRow, state: str, started: str, finished: str) -> None:
    ended = {
        "run": run.id,
        "state": state,
        "started": started,
        "finished": finished,
        "machines": _machines(session, run),
    }
    append(session, "run_ended", run.claim, LEDGER, ended)


def _machines(session: Session, run: RunRow) -> list[str]:
    """The machines of the run's latest leases; none where any of them is unknown, as the rest would then mislead."""
    sources = session.exec(select(ShardRow.source).where(ShardRow.run == run.id, col(ShardRow.source).is_not(None)))
    machines = [source.get(MACHINE) for source in sources if source is not None]
    return sorted({str(machine) for machine in machines}) if all(machines) else []


def _opened(session: Session, run: RunRow) -> str:
    opened = session.exec(select(RunRow.opened).where(RunRow.id == run.id)).one()
    if opened is None:
        raise ValueError(f"run {run.id} was never opened, so there is nothing to void")
    return format_time(opened)


def _now(session: Session) -> str:
    return format_time(session.exec(select(func.clock_timestamp())).one())
