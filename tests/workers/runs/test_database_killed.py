"""Postgres killed while shards are measured. It is a server of the test's own: others keep connections to theirs."""

import os
import signal

import pytest
from sqlalchemy.exc import OperationalError

from app.embedded.directories import locate
from app.embedded.endpoints import endpoints
from app.embedded.lock import hold
from app.embedded.postgres import postgres_service
from app.embedded.supervisor import Stage, Supervisor
from app.embedded.valkey import valkey_service
from app.ledger.migrate import upgrade
from app.settings import Settings


@pytest.fixture
def directory(data_path):
    with hold(locate(data_path)) as held:
        servers = [postgres_service(held.directory), valkey_service(held.directory)]
        with Supervisor(held.directory, [Stage(servers)]):
            yield held.directory


@pytest.fixture
def urls(directory):
    urls = endpoints(Settings(), directory)
    upgrade(urls.database_owner_url)
    return urls


@pytest.mark.faults
def test_postgres_killed_in_the_middle_costs_nothing(half_measured, directory, watch, eventually):
    claim, _, gate = half_measured
    pid = int((directory.postgres / "postmaster.pid").read_text().splitlines()[0])
    os.kill(pid, signal.SIGKILL)
    gate.unlink()

    def the_claim_is_confirmed():
        try:
            return watch.status(claim) == "confirmed"
        except OperationalError:  # it is starting again
            return False

    eventually(the_claim_is_confirmed, seconds=150)
    types = ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]
    assert watch.types(claim) == types
    assert [shard.status for shard in watch.shards(claim)] == ["done"] * 4
