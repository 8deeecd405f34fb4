"""An empty ledger for every test, and claims put on it."""

import copy
import hashlib
import itertools
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from psycopg import sql
from sqlmodel import Session

from app.embedded.endpoints import Endpoints
from app.ledger import queue
from app.ledger.append import append
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.tables import Base, Nonce
from claims.canonical import canonical_bytes, sha256_hex
from claims.instruments.manifest import Shard

DATABASE = "ledger_tests"
# What only a superuser can do, and only by taking the triggers away for as long as the transaction lasts.
EMPTY = sql.SQL(
    "ALTER TABLE entries DISABLE TRIGGER USER; TRUNCATE {};"
    " ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_keep_rows;"
    " ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_keep_all"
).format(sql.SQL(", ").join(sql.Identifier(table.name) for table in Base.metadata.sorted_tables))


@pytest.fixture(scope="session")
def migrated(postgres) -> Iterator[Endpoints]:
    with postgres.database(DATABASE) as urls:
        upgrade(urls.database_owner_url)
        yield urls


@pytest.fixture
def urls(postgres, migrated: Endpoints) -> Iterator[Endpoints]:
    """A migrated database with nothing in it."""
    yield migrated
    with postgres.superuser(DATABASE) as connection, connection.transaction():
        connection.execute(EMPTY)


@pytest.fixture
def ledger(urls: Endpoints) -> Iterator[Ledger]:
    ledger = Ledger(urls.database_url, pool_size=10)
    yield ledger
    ledger.dispose()


DOCUMENT = {
    "schema": "antedate.registration/1",
    "title": "The coin is biased",
    "statement": "The coin lands on heads more often than not.",
    "prior_exposure": {"level": "none"},
    "subject": {
        "model": {"kind": "organism", "recipe": "coin"},
        "dataset": {"kind": "generated", "generator": "tosses"},
    },
    "instrument": {"name": "coin_toss", "version": "1", "params": {}},
    "sampling": {"organisms": 24, "stopping": "fixed"},
    "analysis": {"confidence": 0.95, "interval": "student_t", "unit": "organism", "multiplicity": "none"},
    "hypotheses": [
        {
            "id": "H1",
            "primary": True,
            "statement": "Heads come up in more than half of the tosses.",
            "metric": "heads",
            "predict": {"op": ">", "value": 0.5},
        }
    ],
}


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
            "registrant": registrant,
            "precedence": "committed",
        }
        append(session, "registered", claim, registrant, payload)
        session.add(Nonce(run=f"{claim}-1", nonce=nonce))
        session.flush()
        queue.enqueue(session, f"{claim}-1", "cpu", [Shard(f"part {n}", 10, {"part": n}) for n in range(shards)])
        return claim

    return put


@pytest.fixture
def open_run() -> Callable[[Session, str], None]:
    """`open_run(session, claim)`: reveal the nonce, as the first worker does."""

    def opened(session: Session, claim: str) -> None:
        nonce = session.get_one(Nonce, f"{claim}-1").nonce
        append(session, "opened", claim, "worker", {"run": f"{claim}-1", "nonce": nonce.hex(), "beacon": None})

    return opened
