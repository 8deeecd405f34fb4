"""Claims on a log that is nothing but the rules: a tree in memory, a fixed key, fixed times, and rows from a seed."""

import base64
import hashlib
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims import checkpoint, merkle, receipts, signed_note
from claims.bundle.archive import write
from claims.bundle.parts import Parts, Proven
from claims.bundle.script import formulas
from claims.canonical import canonical_bytes, sha256_hex
from claims.checkpoint import Checkpoint
from claims.entries import Entry, format_time, leaf_hash
from claims.rows import decode, encode

DOCUMENT = Path(__file__).with_name("planted_key.json")
START = datetime(2026, 12, 1, 12, tzinfo=UTC)
NONCE = bytes(range(32))
CLAIM, RUN = "bundledclaim0001", "bundledclaim0001-1"
CODE = {"commit": "ab" * 20, "dirty": "dirty"}


@dataclass
class Log:
    """Entries in memory, their tree, and who signs for them."""

    name: str = "antedate/test"
    key: Ed25519PrivateKey = field(default_factory=lambda: Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
    entries: list[Entry] = field(default_factory=list)
    nodes: dict[merkle.Coordinate, bytes] = field(default_factory=dict)

    def append(self, type_: str, payload: dict[str, Any], claim: str | None = CLAIM, actor: str = "ledger") -> Entry:
        seq = len(self.entries)
        entry = Entry(seq, type_, claim, actor, START + timedelta(seconds=seq), payload)
        leaf = leaf_hash(entry.canonical())
        self.nodes[0, seq] = leaf
        self.nodes |= merkle.grow(seq, leaf, self.nodes)
        self.entries.append(entry)
        return entry

    def note(self, count: int) -> None:
        """So many entries that are of no claim."""
        for number in range(count):
            self.append("noted", {"number": number}, claim=None)

    def read(self, wanted):
        return {coordinate: self.nodes[coordinate] for coordinate in wanted}

    @property
    def vkey(self) -> str:
        return signed_note.vkey(self.name, self.key.public_key())

    def parts(self, receipt: bytes, size: int | None = None, **more: Any) -> Parts:
        size = size or len(self.entries)
        head = Checkpoint(self.name, size, merkle.root(size, self.read))
        proven = [
            Proven(entry.seq, entry.canonical(), merkle.inclusion(entry.seq, size, self.read))
            for entry in self.entries[:size]
            if entry.claim == CLAIM
        ]
        document = canonical_bytes(self.first.payload["registration"])
        note = checkpoint.sign(head, self.name, self.key)
        return Parts(document, receipt, proven, note, self.vkey, **more)

    @property
    def first(self) -> Entry:
        return next(entry for entry in self.entries if entry.type == "registered")

    def receipt(self) -> bytes:
        entry, canonical = self.first, self.first.canonical()
        copied = ("document_sha256", "service", "instrument", "nonce_sha256", "precedence", "check")
        body = {
            "claim": entry.claim,
            "url": f"http://ledger.test/claims/{entry.claim}",
            "registrant": entry.actor,
            "filed": format_time(entry.time),
            **{name: entry.payload[name] for name in copied},
            "entry": {
                "object": entry.as_object(),
                "canonical": base64.b64encode(canonical).decode(),
                "leaf_hash": leaf_hash(canonical).hex(),
            },
            "note": signed_note.sign(receipts.text_of(entry, "test"), self.name, self.key),
            "vkey": self.vkey,
        }
        return canonical_bytes(body)


def planted_rows(organisms: int = 9, pairs: int = 2, layers: int = 2) -> bytes:
    """Rows of planted_key_recovery from a fixed seed; nothing in them depends on a platform's mathematics."""
    draw = random.Random(7)
    components = [f"{kind}_L{layer}" for layer in range(layers) for kind in ("attn", "mlp")]
    found: list[dict[str, Any]] = []
    for organism in range(organisms):
        common = {"organism": organism, "dimension": "planted_key"}
        carriers = set(draw.sample(components, 2))
        governed = organism != 5
        found.append({**common, "kind": "organism", "accuracy": draw.uniform(0.9, 1), "governed": governed})
        for name in components:
            norm = draw.uniform(1, 2) * (2 if name in carriers else 1)
            found.append({**common, "kind": "key", "component": name, "norm": norm, "constructed": name in carriers})
        for pair in range(pairs):
            cell = {**common, "pair_id": f"{organism}/{pair}", "cluster": f"{organism}/{pair}"}
            for name in ("embed", *components):
                given = {"component": name, "chosen": 1.0, "rejected": 0.0, "differential": draw.uniform(-1, 1)}
                found.append({**cell, "kind": "attribution", **given})
            for name in components:
                state = "identical" if draw.random() < 0.1 else "ok"
                effect = 0.0 if state == "identical" else draw.uniform(-1, 1)
                patched = {"component": name, "effect": effect, "state": state, "direction": "noising"}
                found.append({**cell, "kind": "patch", **patched, "margin": 1.0})
    return encode(found)


def registration() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(DOCUMENT.read_bytes())
    return document


DIAGNOSTIC = ("organism_accuracy", "organisms_governed", "twin_norm_auc_constructed")


def evidence(document: dict[str, Any], rows: bytes, **parts: Any) -> dict[str, Any]:
    """Evidence whose values are what the rows give; its bounds are nobody's estimate."""
    recompute = formulas("planted_key_recovery")
    assert recompute is not None
    found = recompute(decode(rows), document)
    interval = {"level": 0.95, "method": "student_t", "unit": "organism", "n": 8, "n_effective": 8.0}
    return {
        "schema": "antedate.evidence/1",
        "instrument": "planted_key_recovery",
        "version": "1",
        "params": document["instrument"]["params"],
        "estimates": {
            name: {"value": value, "lo": value - 0.25, "hi": value + 0.25, **interval}
            for name, value in found.items()
            if name not in DIAGNOSTIC
        },
        "diagnostics": {name: found[name] for name in DIAGNOSTIC},
        "not_measured": {},
        "counts": {"organisms": 9, "pairs": 18},
        "nondeterminism": {},
        "rows_sha256": sha256_hex(rows),
        **parts,
    }


def judged(document: dict[str, Any], found: dict[str, Any], status: str) -> dict[str, Any]:
    hypotheses = []
    for hypothesis in document["hypotheses"]:
        estimate = found["estimates"].get(hypothesis["metric"], {})
        figures = {"estimate": estimate.get("value"), **{name: estimate.get(name) for name in ("lo", "hi", "level")}}
        hypotheses.append({"id": hypothesis["id"], **figures, "outcome": status, "void_reason": None})
    return {"run": RUN, "status": status, "hypotheses": hypotheses}


def recorded(found: dict[str, Any]) -> dict[str, Any]:
    sha256 = sha256_hex(canonical_bytes(found))
    return {"run": RUN, "evidence": found, "evidence_sha256": sha256, "rows_sha256": found["rows_sha256"]}


def registered(log: Log) -> dict[str, Any]:
    log.note(2)
    document = registration()
    payload = {
        "registration": document,
        "document_sha256": sha256_hex(canonical_bytes(document)),
        "nonce_sha256": hashlib.sha256(NONCE).hexdigest(),
        "service": CODE,
        "instrument": {"name": "planted_key_recovery", "version": "1", "source_sha256": "5" * 64, **CODE},
        "precedence": "committed",
        "check": {"power": 0.8},
    }
    log.append("registered", payload, actor="ada")
    log.note(1)
    return document


def opened(log: Log) -> dict[str, Any]:
    document = registered(log)
    log.append("opened", {"run": RUN, "nonce": NONCE.hex(), "beacon": None}, actor="worker")
    log.note(3)
    return document


@dataclass(frozen=True)
class Life:
    """A claim with its log, from which bundles can be made of any size."""

    log: Log
    files: dict[str, Any]

    def parts(self, size: int | None = None) -> Parts:
        return self.log.parts(self.log.receipt(), size, **self.files)


def ended(log: Log) -> None:
    log.append("run_ended", {"run": RUN, "state": "ended"})


def measured() -> Life:
    log = Log()
    document, rows = opened(log), planted_rows()
    found = evidence(document, rows)
    ended(log)
    log.append("evidence_recorded", recorded(found))
    log.append("adjudicated", judged(document, found, "refuted"))
    return Life(log, {"evidence": {RUN: canonical_bytes(found)}, "rows": {RUN: lambda: (rows,)}})


def corrected() -> Life:
    """As measured, but first recorded with another value, and corrected later; some cells were measured twice."""
    log = Log()
    document, rows, again = opened(log), planted_rows(), encode([{"kind": "patch"}])
    right = evidence(document, rows, nondeterminism={f"again_sha256.{sha256_hex(again)}": 1})
    metric = "recovery_gap_constructed"
    false = {**right["estimates"], metric: {**right["estimates"][metric], "value": 0.5}}
    first = {**right, "estimates": false}
    ended(log)
    log.append("evidence_recorded", recorded(first))
    log.append("adjudicated", judged(document, first, "confirmed"))
    entry = log.append("corrected", {**recorded(right), "cause": "A sign.", "reason": "Seen by eye.", "code": CODE})
    log.append("adjudicated", judged(document, right, "refuted"))
    files = {
        "evidence": {RUN: canonical_bytes(first)},
        "rows": {RUN: lambda: (rows,)},
        "corrections": {entry.seq: canonical_bytes(right)},
        "again": {RUN: lambda: (again,)},
    }
    return Life(log, files)


def voided() -> Life:
    log = Log()
    opened(log)
    ended(log)
    log.append("voided", {"run": RUN, "reason": "worker_lost", "figures": {}, "remedy": "Run it again."})
    return Life(log, {})


def waiting() -> Life:
    log = Log()
    registered(log)
    return Life(log, {})


def withdrawn() -> Life:
    log = Log()
    registered(log)
    log.append("withdrawn", {"reason": "The recipe was wrong."}, actor="ada")
    return Life(log, {})


LIVES = {each.__name__: each for each in (measured, corrected, voided, waiting, withdrawn)}


@pytest.fixture(scope="session", params=LIVES)
def any_life(request) -> Life:
    """A claim at each stage that a bundle can show."""
    return LIVES[request.param]()


@pytest.fixture(scope="session")
def lives() -> dict[str, Callable[[], Life]]:
    return LIVES


@pytest.fixture
def measured_life() -> Life:
    return measured()


@pytest.fixture
def corrected_life() -> Life:
    return corrected()


@pytest.fixture(scope="session")
def build() -> Callable[[Parts], bytes]:
    """`build(parts)`: the bytes of their bundle."""

    def built(parts: Parts) -> bytes:
        file = io.BytesIO()
        write(parts, file)
        return file.getvalue()

    return built


@pytest.fixture
def unpacked(build, tmp_path: Path) -> Callable[[Parts], Path]:
    """`unpacked(parts)`: an empty directory but for the files of their bundle, as `zipfile` reads them."""

    def made(parts: Parts) -> Path:
        folder = tmp_path / "bundle"
        with zipfile.ZipFile(io.BytesIO(build(parts))) as archive:
            assert archive.testzip() is None
            archive.extractall(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def reproduce() -> Callable[..., subprocess.CompletedProcess]:
    """`reproduce(folder, *arguments)`: its reproduce.py, run with nothing but the standard library to be found."""

    def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-I", "-S", "-W", "error", str(folder / "reproduce.py"), *arguments]
        return subprocess.run(command, cwd="/", env={}, capture_output=True, check=False)

    return run


@pytest.fixture(scope="session")
def planted() -> Callable[[int], tuple[dict[str, Any], bytes]]:
    """`planted(organisms)`: a registration of planted_key_recovery, and rows of so many organisms."""
    return lambda organisms: (registration(), planted_rows(organisms, pairs=4, layers=4))
