"""An empty ledger for every test, and claims put on it."""

import copy
import hashlib
import itertools
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import text
from sqlmodel import Session

from app.embedded.endpoints import Endpoints
from app.ledger import log, projections, queue
from app.ledger.append import append
from app.ledger.database import Ledger
from app.ledger.judging import record_evidence
from app.ledger.migrate import upgrade
from app.ledger.runs import hold
from app.ledger.tables import Base, Nonce
from claims.canonical import canonical_bytes, sha256_hex
from claims.evidence import Evidence
from claims.forecast_window import end_of
from claims.instruments.manifest import Shard

DATABASE = "ledger_tests"
TABLES = [sql.Identifier(table.name) for table in Base.metadata.sorted_tables]
# What replaying the log gives again; everything else is the log, or kept apart from it.
PROJECTIONS = ("claims", "hypotheses", "links", "datasets", "evidence", "runs", "forecasts", "imports")
TRIGGERS = "SELECT tgrelid::regclass::text, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal"


def empty(connection: psycopg.Connection) -> None:
    """What only a superuser can do, and only by taking the triggers away for as long as the transaction lasts."""
    with connection.transaction():
        triggers = connection.execute(TRIGGERS).fetchall()
        for table in {table for table, _, _ in triggers}:
            connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
        # Of tables this small TRUNCATE takes twice as long. As a replica, no foreign key asks for an order.
        connection.execute("SET LOCAL session_replication_role = replica")
        for table in TABLES:
            connection.execute(sql.SQL("DELETE FROM {}").format(table))
        for table, name, enabled in triggers:
            how = sql.SQL("ENABLE ALWAYS" if enabled == "A" else "ENABLE")
            again = sql.SQL("ALTER TABLE {} {} TRIGGER {}")
            connection.execute(again.format(sql.Identifier(table), how, sql.Identifier(name)))


@pytest.fixture(scope="session")
def migrated(postgres) -> Iterator[Endpoints]:
    with postgres.database(DATABASE) as urls:
        upgrade(urls.database_owner_url)
        yield urls


@pytest.fixture
def urls(postgres, migrated: Endpoints) -> Iterator[Endpoints]:
    """A migrated database with nothing in it."""
    yield migrated
    with postgres.superuser(DATABASE) as connection:
        empty(connection)


@pytest.fixture
def ledger(urls: Endpoints) -> Iterator[Ledger]:
    ledger = Ledger(urls.database_url, pool_size=10)
    yield ledger
    ledger.dispose()


@pytest.fixture
def replayed(ledger: Ledger, postgres) -> Callable[[], tuple[dict[str, list[str]], dict[str, list[str]]]]:
    """What the projections hold, and what they hold once the log was replayed into empty ones."""

    def replay():
        with postgres.superuser(DATABASE) as connection:
            before = _kept(connection)
            connection.execute(f"TRUNCATE {', '.join(PROJECTIONS)}, shards")
            assert not any(_kept(connection).values())
            with ledger.begin() as session:
                for canonical in session.execute(text("SELECT canonical FROM entries ORDER BY seq")).scalars().all():
                    projections.apply(session, log.entry_of(bytes(canonical)))
            return before, _kept(connection)

    return replay


def _kept(connection: psycopg.Connection) -> dict[str, list[str]]:
    return {name: sorted(map(str, connection.execute(f"SELECT t FROM {name} t").fetchall())) for name in PROJECTIONS}


DOCUMENT = json.loads((Path(__file__).parents[2] / "fixtures" / "coin_toss.json").read_bytes())


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(DOCUMENT)


Put = Callable[..., str]


@pytest.fixture
def put_claim(document: dict[str, Any]) -> Put:
    """`put_claim(session, title=..., registrant=..., shards=2, **parts)`: a claim on the ledger, whatever it says."""
    numbers = itertools.count(1)

    def put(session: Session, *, registrant: str = "ada", shards: int = 2, **parts: Any) -> str:
        number = next(numbers)
        claim = f"claim{number:011d}"
        filed = {**copy.deepcopy(document), "title": f"Claim {number}", **parts}
        nonce = secrets.token_bytes(32)
        payload = {
            "registration": filed,
            "document_sha256": sha256_hex(canonical_bytes(filed)),
            "nonce_sha256": hashlib.sha256(nonce).hexdigest(),
            "precedence": "committed",
            **{name: hours for name, hours in parts.items() if name == "forecast_hours"},
        }
        entry = append(session, "registered", claim, registrant, payload)
        session.add(Nonce(run=f"{claim}-1", nonce=nonce))
        session.flush()
        planned = [Shard(f"part {n}", 10, {"part": n}) for n in range(shards)]
        queue.enqueue(session, f"{claim}-1", "cpu", planned, end_of(entry))
        return claim

    return put


@pytest.fixture
def open_run() -> Callable[[Session, str], None]:
    """`open_run(session, claim)`: reveal the nonce, as the first worker does."""

    def opened(session: Session, claim: str) -> None:
        nonce = session.get_one(Nonce, f"{claim}-1").nonce
        append(session, "opened", claim, "worker", {"run": f"{claim}-1", "nonce": nonce.hex(), "beacon": None})

    return opened


@pytest.fixture
def evidence() -> Callable[..., Evidence]:
    """`evidence(lo, hi, rows=b"")`: what a run of DOCUMENT's instrument could have found, `heads` in [lo, hi]."""

    def found(lo: float, hi: float, rows: bytes = b"", **parts: Any) -> Evidence:
        estimate = {"value": (lo + hi) / 2, "lo": lo, "hi": hi, "level": 0.95, "method": "student_t"}
        body = {
            "schema": "antedate.evidence/1",
            "instrument": "coin_toss",
            "version": "1",
            "params": {},
            "subject": {
                "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
                "dataset": {"sha256": None, "n": 24},
            },
            "access": ["scores"],
            "estimates": {"heads": {**estimate, "unit": "organism", "n": 24, "n_effective": 24.0}},
            "diagnostics": {},
            "not_measured": {},
            "counts": {"organisms": 24},
            "nondeterminism": {},
            "controls": {},
            "conformance": {},
            "gauge": "invariant",
            "provenance": {
                "commit": "c" * 40,
                "dirty": "clean",
                "diff_sha256": None,
                "instrument_source_sha256": "5" * 64,
                "packages": {"numpy": "2.4.6"},
                "platform": "Linux",
                "started": "2026-11-30T12:00:00.000000Z",
                "finished": "2026-11-30T12:01:00.000000Z",
            },
            "cost": {"seconds": 60.0},
            "rows_sha256": hashlib.sha256(rows).hexdigest(),
            **parts,
        }
        return Evidence.model_validate(body)

    return found


@pytest.fixture
def judge(open_run, evidence) -> Callable[[Session, str, str], None]:
    """`judge(session, claim, "refuted")`: open the claim's run and record evidence from which that verdict follows."""
    bounds = {"confirmed": (0.6, 0.7), "refuted": (0.3, 0.4), "inconclusive": (0.4, 0.6), "void": (0.6, 0.6)}

    def judged(session: Session, claim: str, verdict: str) -> None:
        open_run(session, claim)
        run = hold(session, f"{claim}-1")
        assert record_evidence(session, run, evidence(*bounds[verdict]), b"").status == verdict

    return judged
