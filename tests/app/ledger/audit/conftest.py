"""A ledger on which everything has happened that can, with its heads signed, and ways to tamper with it."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.ledger import checkpoints, datasets, imports
from app.ledger.append import append
from app.ledger.audit import audit
from app.ledger.database import Ledger
from app.ledger.judging import record_void
from app.ledger.links import contradict, withdraw
from app.ledger.runs import hold
from app.ledger.signing import Signing, load_or_create
from claims.canonical import canonical_bytes
from claims.imports import read_record
from claims.pairs import read_pairs
from claims.registration.yaml_form import read_yaml

PAIR = b'{"id":"p1","dimension":"safety","prompt":"Say it.","chosen":"Yes.","rejected":"No."}\n'
RECORD = Path(__file__).parents[4] / "examples" / "imports" / "mean_spearman.yaml"
GUARDED = ("entries", "nodes", "checkpoints", "anchors")


@dataclass(frozen=True)
class Audited:
    """A ledger, who signs for it, where its heads are kept outside, and how to change it as only a superuser can."""

    ledger: Ledger
    signing: Signing
    file: Path
    postgres: Any

    def audit(self, *, vkey: str | None = None, remembered: bool = True):
        kept = list(checkpoints.read_copies(self.file)) if remembered else []
        with self.ledger.begin() as session:
            return audit(session, vkey or self.signing.vkey, kept)

    @contextlib.contextmanager
    def tampering(self):
        """A superuser's connection with every trigger and check off; everything is as before afterwards."""
        with self.postgres.superuser("ledger_tests") as connection, connection.transaction(force_rollback=True):
            connection.execute("SET LOCAL session_replication_role = replica")
            for table in GUARDED:
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            yield connection


@pytest.fixture
def signing(tmp_path) -> Signing:
    return load_or_create(tmp_path / "signing.key", "tests")


@pytest.fixture
def lived(ledger, postgres, put_claim, judge, open_run, signing, tmp_path) -> Audited:
    file = tmp_path / "checkpoints.jsonl"

    def sign():
        checkpoints.publish(ledger, signing, file)

    with ledger.begin() as session:
        datasets.upload(session, read_pairs(PAIR), "one pair", "ada")
        imports.put(session, read_record(canonical_bytes(read_yaml(RECORD.read_bytes()))), "ada")
        refuted, old, gone, lost = (put_claim(session) for _ in range(4))
        put_claim(session, builds_on=[refuted])
        judge(session, refuted, "refuted")
        put_claim(session, builds_on=[refuted, old])
    sign()
    with ledger.begin() as session:
        judge(session, old, "confirmed")
        append(session, "superseded", old, "ada", {"by": refuted, "reason": "Better."})
        withdraw(session, gone, "ada", "A mistake.")
        open_run(session, lost)
        record_void(session, hold(session, f"{lost}-1"), "worker_lost", {"attempts": 3})
        theirs = put_claim(session, registrant="bob")
        contradict(session, old, theirs, "bob", "Mine says otherwise.")
        append(session, "noted", None, "ada", {"note": "the last one"})
    sign()
    return Audited(ledger, signing, file, postgres)
