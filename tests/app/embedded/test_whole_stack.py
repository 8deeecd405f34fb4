"""The real API and the real workers under the supervisor."""

import contextlib

import httpx
import psutil
import pytest
from celery import Celery

from app.settings import broker_url

pytestmark = [pytest.mark.e2e, pytest.mark.faults]

BOTH = {"measure": {"cpu", "gpu"}, "light": {"light"}}


def nodes_of(stack):
    """The workers' nodes and the queues that each takes from, as they themselves say."""
    with Celery("observer", broker=broker_url(stack.said["redis_url"])) as observer:
        active = observer.control.inspect(timeout=3, limit=2).active_queues() or {}
    return {node.split("-")[0]: {queue["name"] for queue in queues} for node, queues in active.items()}


def workers_among(processes):
    return [process for process in processes if "workers.celery_app:app" in process.cmdline()]


def test_api_and_workers_serve_come_back_when_killed_and_stop(up, ours, data_path, eventually):
    stack = up("whole", ANTEDATE_WORKER_CONCURRENCY="1")
    ready = httpx.get(stack.said["url"] + "/readyz", trust_env=False, timeout=60)
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    eventually(lambda: nodes_of(stack) == BOTH, seconds=120)

    killed = workers_among(ours())
    for process in killed:
        with contextlib.suppress(psutil.NoSuchProcess):  # a child may follow its parent at once
            process.kill()
    eventually(lambda: not any(process.is_running() for process in killed))
    eventually(lambda: nodes_of(stack) == BOTH, seconds=120)

    stack.process.terminate()
    assert stack.process.wait(timeout=60) == 0
    assert ours() == []
    log = (data_path / "logs" / "supervisor.log").read_text()
    order = [log.index(f"stopping {names}") for names in ("api", "worker, light", "postgres, valkey")]
    assert order == sorted(order)
