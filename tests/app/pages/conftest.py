"""Records as the ledger would give them, made by hand: the shapes are the wire formats."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlmodel import Session

from app.ledger import blobs, datasets, queue
from app.ledger.append import append
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.receipts import receipt_of
from app.ledger.signing import Signing
from app.ledger.tables import Nonce, Receipt
from app.main import create_app
from app.pages.claim.record import ClaimRecord, Linked, Work
from app.settings import Settings
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import Entry
from claims.evidence import Evidence
from claims.instruments import attribution_patching_agreement
from claims.instruments.manifest import Shard
from claims.lifecycle import fold
from claims.pairs import read_pairs
from claims.precedence import why
from claims.registration.model import Registration
from claims.rows import decode, encode
from claims.verdict.rule import adjudicate
from claims.verdict.voids import VoidReason

DOCUMENTS = Path(__file__).parent / "documents"
FILED = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
COMMIT = "0123456789abcdef0123456789abcdef01234567"
CLAIM = "k3v9q2m7xw4t"
RUN = f"{CLAIM}-1"
NONCE = bytes(range(32))
CEILING = "H2: recovery_gap: the twin key reads the same last-token difference as attribution does."
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=alert(1)>"
PAIRS = b"".join(
    json.dumps(
        {"id": f"{word}-{number}", "dimension": word, "prompt": "Why?", "chosen": f"So {number}.", "rejected": "No."}
    ).encode()
    + b"\n"
    for word in ("confidence", "safety")
    for number in range(3)
)
HOSTILE = {
    "title": SCRIPT + " \u05d0\u05d1\u05d2 \u202eevil\u202c " + "x" * 90,
    "statement": "{{ 7 * 7 }} </p></main>" + SCRIPT + "w" * 1500,
    "rationale": "javascript:alert(1) " + "\u202e" + "\u0645\u0631\u062d\u0628\u0627 " * 40,
}


@dataclass(frozen=True)
class Step:
    """An entry to be: what, by whom, how many seconds after the filing, with what payload."""

    type: str
    actor: str
    seconds: float
    payload: Mapping[str, Any]


def sample(name: str) -> dict[str, Any]:
    """A document of this directory, read afresh: whoever gets it may change it."""
    found: dict[str, Any] = json.loads((DOCUMENTS / name).read_text())
    return found


def registration(**changes: Any) -> dict[str, Any]:
    return sample("planted_key.json") | changes


def agreement_registration(**changes: Any) -> dict[str, Any]:
    """A claim on a local model and uploaded pairs: the other instrument."""
    return sample("agreement.json") | changes


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


def evidence(estimates: Mapping[str, Mapping[str, float]] | None = None, **changes: Any) -> Evidence:
    """The evidence of a run; `estimates` changes figures of single metrics."""
    body = sample("evidence.json")
    for metric, figures in (estimates or {}).items():
        body["estimates"][metric] |= figures
    return Evidence.model_validate(body | changes)


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
        work=None,
    )


def refuted_claim(**changes: Any) -> ClaimRecord:
    document, found = registration(**changes), evidence()
    return record(document, [registered(document), opened(RUN), *measured(RUN, found, document)], found)


def running_claim() -> ClaimRecord:
    document = registration()
    work = Work(RUN, "running", 10_560, 40_128, 6, 24, 31.0, None)
    return replace(record(document, [registered(document), opened(RUN)]), work=work)


def linked(kind: str, *, incoming: bool) -> Linked:
    return Linked(
        type=kind,
        incoming=incoming,
        claim="z9y8x7w6v5u4",
        title="Patching recovers the planted key with louder frozen components",
        status="registered",
        reason="The recipe left both methods at the ceiling.",
        actor="local",
        time=FILED + timedelta(days=2),
    )


def planted_rows(organisms: int = 24, pairs: int = 4, layers: int = 4) -> bytes:
    """Rows of `planted_key_recovery` from a fixed seed: attribution near its ceiling, patching less sure."""
    draw = random.Random(7)
    components = [f"{kind}_L{layer}" for layer in range(layers) for kind in ("attn", "mlp")]
    found: list[dict[str, Any]] = []
    for organism in range(organisms):
        common = {"organism": organism, "dimension": "planted_key"}
        carriers = set(draw.sample(components, 3))
        governed = organism % 11 != 5
        accuracy = draw.uniform(0.92, 1.0) if governed else 0.8
        found.append({**common, "kind": "organism", "accuracy": accuracy, "governed": governed})
        for component in components:
            norm = draw.uniform(1, 2) * (3 if component in carriers else 1)
            constructed = component in carriers
            found.append({**common, "kind": "key", "component": component, "norm": norm, "constructed": constructed})
        for pair in range(pairs):
            cell = {**common, "pair_id": f"{organism}/{pair}", "cluster": f"{organism}/{pair}"}
            for component in components:
                weight = 3 if component in carriers else 1
                given = {"component": component, "chosen": 1.0, "rejected": 0.0}
                differential = draw.gauss(0.4 * weight, 0.1)
                found.append({**cell, "kind": "attribution", **given, "differential": differential})
                effect = draw.gauss(0.1 * weight, 0.5)
                patched = {"component": component, "effect": effect, "state": "ok"}
                found.append({**cell, "kind": "patch", **patched, "direction": "noising", "margin": 1.0})
    return encode(found)


DIMENSIONS = ("confidence", "helpfulness", "safety", "verbosity")


def agreement_rows(pairs: int = 16, layers: int = 16) -> bytes:
    """Rows of `attribution_patching_agreement` from a fixed seed: late layers credited, early ones moving the score."""
    draw = random.Random(11)
    found: list[dict[str, Any]] = []
    for number, dimension in enumerate(DIMENSIONS):
        for pair in range(pairs):
            cell = {"pair_id": f"{dimension}-{pair}", "dimension": dimension, "cluster": f"{dimension}-{pair}"}
            for layer in range(layers):
                for component in (f"attn_L{layer}", f"mlp_L{layer}"):
                    depth, tilt = layer / layers, 0.5 + number / 4
                    given = {"component": component, "chosen": 1.0, "rejected": 0.5}
                    differential = draw.gauss(0.4 * depth**2, 0.2)
                    found.append({**cell, "kind": "attribution", **given, "differential": differential})
                    effect = draw.gauss(0.5 * abs(tilt - depth), 0.3)
                    patched = {"component": component, "effect": effect, "state": "ok"}
                    found.append({**cell, "kind": "patch", **patched, "direction": "noising", "margin": 2.0})
    return encode(found)


def agreement_evidence(document: Mapping[str, Any], rows: bytes) -> Evidence:
    """What the instrument itself estimates from these rows."""
    estimated = attribution_patching_agreement.estimate(decode(rows), Registration.model_validate(document))
    model = {"weights_sha256": "4d" * 32, "dtype": "float32", "device": "cpu", "attention": "sdpa"}
    found = evidence(
        instrument="attribution_patching_agreement",
        params={},
        subject={"model": model, "dataset": {"sha256": "3c" * 32, "n": 64}},
        controls={},
        rows_sha256=sha256_hex(rows),
    )
    return found.model_copy(update=dict(estimated))


def agreement_claim(document: Mapping[str, Any], rows: bytes) -> ClaimRecord:
    found = agreement_evidence(document, rows)
    steps = [registered(document), opened(RUN), *measured(RUN, found, document)]
    return replace(record(document, steps, found), evidence_sha256=sha256_hex(repr(document).encode()))


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
    found = agreement_evidence(agreeing, pairwise)
    steps = [registered(agreeing), opened(f"{claim}-1"), *measured(f"{claim}-1", found, agreeing)]
    put(session, claim, steps, rows=pairwise, signing=signing)
    datasets.upload(session, read_pairs(PAIRS), SCRIPT, "ada")
    replaced = {"by": names["confirmed"], "reason": "The recipe left both methods at the ceiling."}
    append(session, "superseded", refuted, "ada", replaced)
    return names


@dataclass(frozen=True)
class Site:
    """The whole service over a ledger with a claim of every kind, by the word for it in `claims`."""

    app: FastAPI
    ledger: Ledger
    claims: Mapping[str, str]


@pytest.fixture(scope="module")
def site(postgres, valkey: str, tmp_path_factory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("pages")
    with postgres.database("pages") as urls:
        upgrade(urls.database_owner_url)
        app = create_app(
            Settings(
                database_url=urls.database_url, redis_url=valkey, data=directory, signing_key_file=directory / "key"
            )
        )
        ledger: Ledger = app.state.ledger
        with ledger.begin() as session:
            claims = fill(session, app.state.signing)
        yield Site(app, ledger, claims)
        app.state.dispatch.close()
        ledger.dispose()


@pytest.fixture
def judge_new(site: Site) -> tuple[str, Callable[[], None], Callable[[], None]]:
    """A claim that waits, and how to have it opened, then judged."""
    claim = "turnswhilewatched"
    document = registration(title="Turns while it is watched")
    rows = planted_rows()
    found = evidence().model_copy(update={"rows_sha256": sha256_hex(rows)})

    def put_steps(steps: Sequence[Step]) -> None:
        with site.ledger.begin() as session:
            put(session, claim, steps, rows=rows, signing=site.app.state.signing)

    put_steps([registered(document)])
    return (
        claim,
        lambda: put_steps([opened(f"{claim}-1")]),
        lambda: put_steps(measured(f"{claim}-1", found, document)),
    )


@pytest.fixture
def visit(site: Site) -> TestClient:
    """A visitor who follows no redirect unasked."""
    return TestClient(site.app, follow_redirects=False, headers={"Accept": "text/html"})


@pytest.fixture
def refuted() -> ClaimRecord:
    return refuted_claim()


@pytest.fixture
def running() -> ClaimRecord:
    return running_claim()


@pytest.fixture
def samples() -> SimpleNamespace:
    """What makes rows and records, for tests that want others than the usual ones."""
    return SimpleNamespace(
        planted_rows=planted_rows,
        agreement_registration=agreement_registration,
        agreement_rows=agreement_rows,
        agreement_claim=agreement_claim,
        DIMENSIONS=DIMENSIONS,
    )


@pytest.fixture
def link() -> Callable[..., Linked]:
    return linked


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    return registration
