"""A real ledger with a claim of every kind."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.ledger import blobs, datasets, queue
from app.ledger.append import append
from app.ledger.receipts import receipt_of
from app.ledger.signing import Signing
from app.ledger.tables import Nonce, Receipt
from claims.canonical import sha256_hex
from claims.evidence import Evidence
from claims.instruments.manifest import Shard
from claims.pairs import read_pairs
from claims.verdict.voids import VoidReason

from .documents import HOSTILE, SCRIPT, agreement_registration, evidence, registration
from .instrument_rows import agreement_rows, planted_rows
from .judged import evidence_of
from .lives import NONCE, Step, measured, opened, registered

PAIRS = b"".join(
    json.dumps(
        {"id": f"{word}-{number}", "dimension": word, "prompt": "Why?", "chosen": f"So {number}.", "rejected": "No."}
    ).encode()
    + b"\n"
    for word in ("confidence", "safety")
    for number in range(3)
)


def put(session: Session, claim: str, steps: Sequence[Step], *, signing: Signing, rows: bytes = b"") -> None:
    """Append a claim's life to the real log, with what the work queue keeps of it."""
    blobs.put(session, rows, "application/jsonl")
    for step in steps:
        entry = append(session, step.type, claim, step.actor, step.payload)
        if step.type == "registered":
            session.add(Nonce(run=f"{claim}-1", nonce=NONCE))
            session.add(Receipt(claim=claim, body=receipt_of(entry, signing=signing, public_url="http://ledger.test")))
            shards = [Shard(f"organism/{number}", 1672, {"organism": number}) for number in range(24)]
            queue.enqueue(session, f"{claim}-1", "cpu", shards)


def fill(session: Session, signing: Signing) -> dict[str, str]:
    """A ledger with a claim of every kind, by a word for it."""
    rows = planted_rows()
    names = {}

    def file(word: str, *, document: Mapping[str, Any], found: Evidence | None = None, **more: Any) -> str:
        claim = names[word] = f"{word.replace('_', '')}{len(names):012d}"[:20]
        steps = [registered(document)]
        if more.get("open", found is not None):
            steps.append(opened(f"{claim}-1"))
        if found:
            steps += measured(f"{claim}-1", found.model_copy(update={"rows_sha256": sha256_hex(rows)}), document)
        put(session, claim, [*steps, *more.get("then", [])], rows=rows, signing=signing)
        return claim

    gap = {"recovery_gap_constructed": {"value": 0.21, "lo": 0.14, "hi": 0.28}}
    wide = {"recovery_gap_constructed": {"value": 0.02, "lo": -0.04, "hi": 0.08}}
    refuted = file("refuted", document=registration(title="Patching recovers the planted key better"), found=evidence())
    file("confirmed", document=registration(title="Louder frozen components leave room"), found=evidence(estimates=gap))
    file("inconclusive", document=registration(title="A dozen organisms are enough"), found=evidence(estimates=wide))
    file(
        "void",
        document=registration(title="Organisms obey at hidden width 16"),
        found=evidence(diagnostics={"organism_accuracy": 0.84, "organisms_governed": 11.0}),
    )
    file("contested", document=registration(title="Stands on what fell", builds_on=[refuted]))
    file("registered", document=registration(title="Waits for a worker"))
    lost = {"shards_done": 6, "shards": 24, "worker": "cpu-1", "attempts": 3, "failure": "killed by signal 9"}
    file(
        "lost",
        document=registration(title="Lost with its worker"),
        open=True,
        then=[
            Step("voided", "ledger", 9, {"run": f"lost{6:012d}-1", "reason": "worker_lost", "figures": lost, "remedy":
                VoidReason.WORKER_LOST.remedy})
        ],
    )  # fmt: skip
    file(
        "withdrawn",
        document=registration(title="Filed with the wrong recipe"),
        then=[Step("withdrawn", "ada", 5, {"reason": "The recipe named another width."})],
    )
    file("running", document=registration(title="Being measured"), open=True)
    file("hostile", document=registration(**HOSTILE), found=evidence())
    agreeing = agreement_registration()
    pairwise = agreement_rows()
    claim = names["agreement"] = "agreement0000010"
    found = evidence_of(agreeing, pairwise)
    steps = [registered(agreeing), opened(f"{claim}-1"), *measured(f"{claim}-1", found, agreeing)]
    put(session, claim, steps, rows=pairwise, signing=signing)
    datasets.upload(session, read_pairs(PAIRS), SCRIPT, "ada")
    replaced = {"by": names["confirmed"], "reason": "The recipe left both methods at the ceiling."}
    append(session, "superseded", refuted, "ada", replaced)
    return names
