"""Many file at once, and an API process is killed on the way: nothing is lost, doubled, or half there."""

import base64
import contextlib
import copy
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.registrants import issue_key, register
from claims import merkle, receipts
from claims.entries import leaf_hash
from claims.registration.yaml_form import read_yaml

EXAMPLE = read_yaml((Path(__file__).parents[2] / "examples" / "planted_key.yaml").read_bytes())
FILERS = 16
PROCESSES = 2

pytestmark = pytest.mark.faults


@dataclass
class Apis:
    """API processes over one database, each on a port of its own that outlives it."""

    environment: dict[str, str]
    listeners: list
    running: list[subprocess.Popen] = field(default_factory=list)

    @property
    def urls(self):
        return [f"http://127.0.0.1:{listener.getsockname()[1]}" for listener in self.listeners]

    def start(self, which):
        descriptor = self.listeners[which].fileno()
        argv = [sys.executable, "-m", "uvicorn", "app.main:create_app", "--factory", "--fd", str(descriptor)]
        process = subprocess.Popen(
            [*argv, "--ws", "none", "--log-level", "error"],
            env=self.environment,
            pass_fds=(descriptor,),
            stdout=subprocess.DEVNULL,
        )
        self.running[which : which + 1] = [process]

    def kill(self, which):
        self.running[which].send_signal(signal.SIGKILL)
        self.running[which].wait()


@pytest.fixture
def fire(postgres, valkey, tmp_path):
    """A ledger, a key that files on it, and `PROCESSES` API processes."""
    with postgres.database("under_fire") as urls, contextlib.ExitStack() as stack:
        upgrade(urls.database_owner_url)
        ledger = Ledger(urls.database_url)
        stack.callback(ledger.dispose)
        with ledger.begin() as session:
            register(session, "ada", "Ada")
            key = issue_key(session, "ada", ["file"])
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ANTEDATE_")}
        environment |= {"DATABASE_URL": urls.database_url, "REDIS_URL": valkey, "ANTEDATE_DATA": str(tmp_path)}
        listeners = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(PROCESSES)]
        apis = Apis(environment, listeners)
        for which in range(PROCESSES):
            apis.start(which)
        try:
            yield ledger, key, apis
        finally:
            for process in apis.running:
                process.kill()
                process.wait()


def file_one(number, apis, key):
    """File prediction `number`, asking again, with the same key, whenever the API went away; the receipt."""
    document = json.dumps({**copy.deepcopy(EXAMPLE), "title": f"Prediction {number}"}).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": f"n{number}"}
    deadline = time.monotonic() + 120
    for attempt in range(10_000):
        url = apis.urls[(number + attempt) % PROCESSES]
        try:
            answer = httpx.post(f"{url}/v1/predictions", content=document, headers=headers, timeout=60, trust_env=False)
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
            continue
        if answer.status_code == 503:  # its own pool is spent: it says so, and is asked again
            time.sleep(0.05)
            continue
        assert answer.status_code == 201, answer.text
        return answer.json()
    raise AssertionError("never answered")


def file_all(count, apis, key):
    """Every receipt, with an API process killed after a third of them and started again after a half."""
    done = threading.Semaphore(0)

    def filed(number):
        receipt = file_one(number, apis, key)
        done.release()
        return receipt

    with ThreadPoolExecutor(FILERS) as pool:
        waiting = [pool.submit(filed, number) for number in range(count)]
        for _ in range(count // 3):
            done.acquire()
        apis.kill(0)
        for _ in range(count // 2 - count // 3):
            done.acquire()
        apis.start(0)
        return [one.result() for one in waiting]


def test_nothing_is_lost_doubled_or_half_there(fire, full):
    ledger, key, apis = fire
    count = 2_000 if full else 60
    begun = time.monotonic()
    given = file_all(count, apis, key)
    print(f"\n{count} filings by {FILERS} filers in {time.monotonic() - begun:.0f} s, one of {PROCESSES} APIs killed")
    with ledger.begin() as session:
        rows = session.execute(text("SELECT seq, type, claim, canonical, leaf_hash FROM entries ORDER BY seq")).all()
        claims = set(session.execute(text("SELECT id FROM claims")).scalars())
        whole = session.execute(
            text(
                "SELECT count(*) FROM claims JOIN hypotheses h ON h.claim = claims.id AND h.position = 0"
                " JOIN runs ON runs.claim = claims.id AND runs.status = 'queued'"
                " JOIN nonces ON nonces.run = runs.id JOIN receipts ON receipts.claim = claims.id"
                " WHERE EXISTS (SELECT FROM shards WHERE shards.run = runs.id)"
            )
        ).scalar_one()
        stored = session.execute(text("SELECT level, index, hash FROM nodes")).all()
    assert [row.seq for row in rows] == list(range(count)), "the sequence has no gap"
    registered = {row.claim: row for row in rows}
    assert len({receipt["claim"] for receipt in given}) == count, "no filing was answered twice as two"
    assert set(registered) == claims == {receipt["claim"] for receipt in given}, "no entry without its claim"
    assert whole == count, "and no claim without its hypotheses, run, shards, nonce and receipt"
    for receipt in given:
        signed = receipts.check(receipt["note"], receipt["vkey"])
        row = registered[receipt["claim"]]
        assert signed.leaf_hash == leaf_hash(bytes(row.canonical)) == bytes(row.leaf_hash), "no receipt without entry"
        assert (signed.seq, signed.claim) == (row.seq, row.claim)
        assert base64.b64decode(receipt["entry"]["canonical"]) == bytes(row.canonical)
    nodes = {(row.level, row.index): bytes(row.hash) for row in stored}
    leaves = {(0, row.seq): bytes(row.leaf_hash) for row in rows}
    root = merkle.root(count, lambda wanted: {at: (nodes | leaves)[at] for at in wanted})
    assert root == merkle.root_of(bytes(row.leaf_hash) for row in rows), "the tree is that of the leaves"
