"""A ledger of its own for these tests, an instrument that costs nothing, and real workers."""

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

import app.ledger.filing
import claims.instruments
import workers.instruments
import workers.source
from app.embedded.endpoints import Endpoints
from app.ledger import filing, log, queries, queue, records, registrants
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.signing import Signing
from app.ledger.tables import ShardRow
from claims.entries import Entry
from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.registration.reading import freeze_document
from workers.measuring import Worker

COIN = Path(__file__).parent / "coin"
EXPIRE = text(
    "UPDATE shards SET lease_until = clock_timestamp() "
    "WHERE run = :run AND index = :index AND token = :token AND status = 'leased'"
)
EVERYTHING = ("--queues", "cpu,gpu,light", "--concurrency", "2", "--beat", "--scheduler", "celery.beat:Scheduler")
DOCUMENT = json.loads((Path(__file__).parents[2] / "fixtures" / "coin_toss.json").read_bytes())
# A few coins, which land on heads seven times in ten, are as good as certain to show this.
SURE = {
    "statement": "Heads come up in more than a hundredth of the tosses.",
    "predict": {"op": ">", "value": 0.01},
}


@pytest.fixture(autouse=True)
def coin(monkeypatch) -> Iterator[None]:
    """The instrument `coin_toss` in this process's catalogue."""
    for package, half in ((claims.instruments, "claims"), (workers.instruments, "workers")):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(COIN / half / "instruments")])
    for module in (app.ledger.filing, workers.source):
        monkeypatch.setattr(module, "source_sha256", lambda name: source_sha256(name, COIN))
    catalogue.cache_clear()
    yield
    catalogue.cache_clear()
    for half in ("claims", "workers"):
        sys.modules.pop(f"{half}.instruments.coin_toss", None)


@pytest.fixture
def urls(postgres, valkey: str, request: pytest.FixtureRequest) -> Iterator[Endpoints]:
    """A migrated database of the test's own, and the session's Valkey with nothing in it."""
    import redis

    with redis.Redis.from_url(valkey) as client:
        client.flushall()
    with postgres.database("runs_tests") as urls:
        upgrade(urls.database_owner_url)
        yield urls


@pytest.fixture
def ledger(urls: Endpoints) -> Iterator[Ledger]:
    ledger = Ledger(urls.database_url, pool_size=10)
    with ledger.begin() as session:
        registrants.register(session, "ada", "Ada")
    yield ledger
    ledger.dispose()


@pytest.fixture
def worker(ledger: Ledger) -> Worker:
    return Worker(ledger, None, timedelta(seconds=60))


@pytest.fixture
def file_claim(ledger: Ledger) -> Callable[..., str]:
    """`file_claim(coins=8, title=..., **params)`: a claim filed as the service files it; returns its id."""
    signing = Signing("test", Ed25519PrivateKey.generate())

    def filed(coins: int = 8, title: str = "The coin is biased", **params: Any) -> str:
        document = copy.deepcopy(DOCUMENT)
        document["title"] = title
        document["sampling"]["organisms"] = coins
        document["hypotheses"][0] |= SURE
        document["instrument"]["params"] = params
        with ledger.begin() as session:
            frozen = freeze_document(document)
            return filing.file(
                session, frozen, "ada", signing=signing, public_url="http://127.0.0.1", model_root=None
            ).claim

    return filed


@dataclass(frozen=True)
class Watch:
    """What the ledger says of a claim right now."""

    ledger: Ledger

    def types(self, claim: str) -> list[str]:
        return [entry.type for entry in self.history(claim)]

    def history(self, claim: str) -> list[Entry]:
        with self.ledger.begin() as session:
            return log.history(session, claim)

    def status(self, claim: str) -> str:
        with self.ledger.begin() as session:
            return queries.get_claim(session, claim).status

    def run(self, claim: str) -> records.Progress:
        with self.ledger.begin() as session:
            return records.run(session, f"{claim}-1")

    def shards(self, claim: str) -> list[ShardRow]:
        with self.ledger.begin() as session:
            return queue.shards(session, f"{claim}-1")


@pytest.fixture
def watch(ledger: Ledger) -> Watch:
    return Watch(ledger)


@pytest.fixture
def start_worker(urls: Endpoints, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """`start_worker(**environment)`: a real worker of every queue with the clock, ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**variables: str) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "DATABASE_URL": urls.database_url,
            "REDIS_URL": urls.redis_url,
            "ANTEDATE_DATA": str(tmp_path),
            "PYTHONPATH": str(COIN.parent / "process"),
            **variables,
        }
        command = [sys.executable, "-m", "celery", "--app", "coin_worker:app", "worker", "--loglevel", "INFO"]
        number = len(started)
        log_file = (tmp_path / f"worker-{number}.log").open("wb")
        options = ["--hostname", f"w{number}@test", "--without-gossip", "--without-mingle", *EVERYTHING]
        started.append(
            subprocess.Popen([*command, *options], env=environment, stdout=log_file, stderr=log_file, cwd=tmp_path)
        )
        log_file.close()
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def expire_the_dead(ledger: Ledger) -> Callable[[str], None]:
    """`expire_the_dead(claim)`: the leases of the claim's dead workers are over, as they are once time has passed."""

    def expire(claim: str) -> None:
        with ledger.begin() as session:
            for shard in queue.shards(session, f"{claim}-1"):
                if shard.status == "leased" and is_dead(int(shard.worker.partition("/")[2])):
                    lease = {"run": shard.run, "index": shard.index, "token": shard.token}
                    session.execute(EXPIRE, lease)

    return expire


def is_dead(pid: int) -> bool:
    """Whether the process is gone, reaped or not."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def half_measured(file_claim, start_worker, watch, eventually, tmp_path):
    """A claim of four shards, two of them done and two half-way for as long as the gate exists, and its worker."""
    gate = tmp_path / "gate"
    gate.touch()
    claim = file_claim(coins=4)
    parent = start_worker(COIN_GATE=str(gate))

    def two_shards_are_done_and_two_half_measured():
        stand = [(shard.status, shard.rows_done) for shard in watch.shards(claim)]
        return stand == [("done", 10)] * 2 + [("leased", 5)] * 2

    eventually(two_shards_are_done_and_two_half_measured, seconds=120)
    return claim, parent, gate
