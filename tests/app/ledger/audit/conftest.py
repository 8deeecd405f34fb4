"""A ledger on which everything has happened that can, with its heads signed, and ways to tamper with it."""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import StaticPool, create_engine, insert, text
from sqlmodel import Session

from app.ledger import checkpoints, datasets, forecasts, imports, log
from app.ledger.append import append
from app.ledger.audit import audit
from app.ledger.database import Ledger
from app.ledger.judging import record_void
from app.ledger.links import contradict, withdraw
from app.ledger.runs import hold
from app.ledger.signing import Signing, load_or_create
from app.ledger.tables import Receipt
from claims.canonical import canonical_bytes
from claims.forecasts import seal
from claims.imports import read_record
from claims.pairs import read_pairs
from claims.receipts import text_of
from claims.registration.yaml_form import read_yaml

PAIR = b'{"id":"p1","dimension":"safety","prompt":"Say it.","chosen":"Yes.","rejected":"No."}\n'
SALT = bytes(range(32))
RECORD = Path(__file__).parents[4] / "examples" / "imports" / "mean_spearman.yaml"
REPLICA = "SET LOCAL session_replication_role = replica"
CONSTRAINTS = """
SELECT format('ALTER TABLE %I DISABLE TRIGGER USER', relname) FROM pg_class WHERE relkind = 'r' AND relname IN
    ('entries', 'nodes', 'checkpoints', 'anchors')
UNION ALL
SELECT format('ALTER TABLE %I DROP CONSTRAINT %I CASCADE', relname, conname) FROM pg_constraint
JOIN pg_class ON pg_class.oid = conrelid WHERE contype IN ('c', 'f', 'u') AND relnamespace = 'public'::regnamespace
"""


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
        """`tampered(statement)`: what an audit finds once a superuser, with every trigger and constraint off, has
        changed the ledger so; each time the ledger is as before afterwards."""
        kept = list(checkpoints.read_copies(self.file))
        with self.postgres.superuser("ledger_tests") as connection:
            connection.autocommit = False
            engine = create_engine("postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool)
            with Session(engine) as session:
                for statement in (REPLICA, *session.execute(text(CONSTRAINTS)).scalars()):
                    session.execute(text(statement))

                def tampered(statement, parameters=None, *, remembered=kept, vkey=self.signing.vkey):
                    with session.begin_nested() as savepoint:
                        session.execute(text(statement), parameters or {})
                        session.expire_all()
                        found = audit(session, vkey, remembered)
                        savepoint.rollback()
                    return found

                tampered.session = session
                yield tampered
                session.rollback()
            engine.dispose()


@pytest.fixture
def signing(tmp_path) -> Signing:
    return load_or_create(tmp_path / "signing.key", "tests")


@pytest.fixture
def lives(put_claim, judge, open_run) -> SimpleNamespace:
    return SimpleNamespace(put=put_claim, judge=judge, open=open_run)


@pytest.fixture
def lived(ledger, postgres, lives, signing, tmp_path) -> Audited:
    file, put_claim, judge = tmp_path / "checkpoints.jsonl", lives.put, lives.judge

    def sign():
        checkpoints.publish(ledger, signing, file)

    with ledger.begin() as session:
        datasets.upload(session, read_pairs(PAIR), "one pair", "ada")
        imports.put(session, read_record(canonical_bytes(read_yaml(RECORD.read_bytes()))), "ada")
        refuted, old, gone, lost = (put_claim(session) for _ in range(4))
        put_claim(session, builds_on=[refuted])
        forecasts.seal(session, refuted, "eve", seal(refuted, "eve", 0.25, SALT))
        judge(session, refuted, "refuted")
        forecasts.reveal(session, refuted, "eve", 0.25, SALT)
        put_claim(session, builds_on=[refuted, old])
    sign()
    with ledger.begin() as session:
        judge(session, old, "confirmed")
        append(session, "superseded", old, "ada", {"by": refuted, "reason": "Better."})
        withdraw(session, gone, "ada", "A mistake.")
        lives.open(session, lost)
        record_void(session, hold(session, f"{lost}-1"), "worker_lost", {"attempts": 3})
        theirs = put_claim(session, registrant="bob")
        contradict(session, old, theirs, "bob", "Mine says otherwise.")
        append(session, "noted", None, "ada", {"note": "the last one"})
        for claim in (refuted, gone):
            filed = log.history(session, claim)[0]
            said = {"registrant": filed.actor, "note": signing.sign(text_of(filed, signing.log))}
            said |= {name: filed.payload[name] for name in ("document_sha256", "nonce_sha256")}
            session.execute(insert(Receipt).values(claim=claim, body=said))
    sign()
    return Audited(ledger, signing, file, postgres)
