"""The life of a claim as entries of a log, and what the ledger would give for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.ledger.records import Link
from app.pages.claim.record import ClaimRecord, Work
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import Entry
from claims.evidence import Evidence
from claims.lifecycle import fold
from claims.precedence import why
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate

from .documents import evidence, registration

FILED = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CLAIM = "k3v9q2m7xw4t"
RUN = f"{CLAIM}-1"
NONCE = bytes(range(32))
CEILING = "H2: recovery_gap: the twin key reads the same last-token difference as attribution does."


@dataclass(frozen=True)
class Step:
    """An entry to be: what, by whom, how many seconds after the filing, with what payload."""

    type: str
    actor: str
    seconds: float
    payload: Mapping[str, Any]


def registered(document: Mapping[str, Any]) -> Step:
    """The entry that freezes `document`."""
    code = {"commit": COMMIT, "dirty": "dirty"}
    chosen = document["instrument"]
    payload = {
        "registration": document,
        "document_sha256": sha256_hex(canonical_bytes(document)),
        "nonce_sha256": sha256_hex(NONCE),
        "service": code,
        "instrument": {"name": chosen["name"], "version": chosen["version"], "source_sha256": "ef" * 32, **code},
        "precedence": "committed",
        "check": {"warnings": [{"code": "CEILING", "pointer": "/hypotheses/1/metric", "detail": CEILING}]},
    }
    return Step("registered", "ada", 0.0, payload)


def opened(run: str) -> Step:
    return Step("opened", "worker", 1.9, {"run": run, "nonce": NONCE.hex(), "beacon": None})


def measured(run: str, found: Evidence, document: Mapping[str, Any]) -> list[Step]:
    """The three entries that end a run with evidence; the verdict is the ledger's own."""
    body = found.model_dump(mode="json", by_alias=True)
    verdict = adjudicate(Registration.model_validate(document), found)
    recorded = {
        "run": run,
        "evidence": body,
        "evidence_sha256": sha256_hex(canonical_bytes(body)),
        "rows_sha256": found.rows_sha256,
    }
    ended = {"run": run, "state": "ended", "started": found.provenance.started, "finished": found.provenance.finished}
    return [
        Step("run_ended", "ledger", 44.2, ended),
        Step("evidence_recorded", "ledger", 44.21, recorded),
        Step("adjudicated", "ledger", 44.22, verdict.as_payload(run)),
    ]


def entries(steps: Sequence[Step], claim: str = CLAIM) -> list[Entry]:
    """The steps as entries of a log whose clock ran as they say."""
    return [
        Entry(4 + index, step.type, claim, step.actor, FILED + timedelta(seconds=step.seconds), step.payload)
        for index, step in enumerate(steps)
    ]


def record(document: Mapping[str, Any], steps: Sequence[Step], found: Evidence | None = None) -> ClaimRecord:
    """What the ledger would give for a claim with this life."""
    told = entries(steps)
    state = fold(told)
    assert state is not None
    return ClaimRecord(
        id=CLAIM,
        status=state.status,
        precedence="committed",
        precedence_why=why("committed"),
        trust="registered",
        contested=False,
        registrant="ada",
        document=canonical_bytes(document),
        document_sha256=state.document_sha256,
        registration=Registration.model_validate(document),
        entries=told,
        evidence=found,
        evidence_sha256="12" * 32 if found else None,
        rows_sha256="77" * 32 if found else None,
        recomputed=True if found else None,
        voids=[],
        links=[],
        comparisons=[],
        original=None,
        ground=None,
        covered=None,
        work=None,
    )


def refuted_claim(**changes: Any) -> ClaimRecord:
    document, found = registration(**changes), evidence()
    return record(document, [registered(document), opened(RUN), *measured(RUN, found, document)], found)


def running_claim() -> ClaimRecord:
    document = registration()
    work = Work(RUN, "running", 10_560, 40_128, 6, 24, 31.0, None)
    return replace(record(document, [registered(document), opened(RUN)]), work=work)


def linked(kind: str, *, incoming: bool) -> Link:
    return Link(
        type=kind,
        incoming=incoming,
        claim="z9y8x7w6v5u4",
        title="Patching recovers the planted key with louder frozen components",
        status="registered",
        reason="The recipe left both methods at the ceiling.",
        actor="local",
        time=FILED + timedelta(days=2),
    )
