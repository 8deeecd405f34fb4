"""The command lines and environments of our own processes: the API and the two workers."""

import http.client
import os
import signal
import socket
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

from app.embedded.directories import DataDirectory
from app.embedded.endpoints import Endpoints
from app.embedded.leftovers import MARK
from app.embedded.ports import reachable_url
from app.embedded.services import Service, StopSignal

# A probe waits in the listening socket until the API takes it; a dead API is noticed between two.
_PROBE_SECONDS = 2.0
_LONGEST_ANSWER = 4000
# Warm: no new task, running ones may end. Cold: they are given back to the queue.
_WORKER_STOP = (StopSignal(signal.SIGTERM, 10.0), StopSignal(signal.SIGQUIT, 5.0))


def environment(directory: DataDirectory, urls: Endpoints) -> dict[str, str]:
    """What our processes inherit: ours, plus where everything is. The owner's URL is for migrations, not for them."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_OWNER_URL"}
    return inherited | {
        "DATABASE_URL": urls.database_url,
        "REDIS_URL": urls.redis_url,
        "ANTEDATE_DATA": str(directory.root),
        MARK: str(directory.root),
        # Idle OpenMP threads that spin starve the other processes; parallelism comes from worker processes.
        "OMP_WAIT_POLICY": "PASSIVE",
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
    }


def api_service(listener: socket.socket, env: Mapping[str, str]) -> Service:
    url = reachable_url(listener)
    return Service(
        name="api",
        argv=[
            *(sys.executable, "-m", "uvicorn", "app.main:create_app", "--factory"),
            *("--fd", str(listener.fileno()), "--timeout-graceful-shutdown", "3", "--ws", "none"),
        ],
        env=env,
        unready=lambda: unanswered(f"{url}/readyz"),
        stop=(StopSignal(signal.SIGTERM, 6.0),),
        pass_fds=(listener.fileno(),),
    )


def worker_service(concurrency: int, env: Mapping[str, str]) -> Service:
    """The worker that measures, `concurrency` runs at a time."""
    argv = _celery("measure", "cpu,gpu", concurrency)
    return Service(name="worker", argv=argv, env=env, stop=_WORKER_STOP)


def light_service(env: Mapping[str, str]) -> Service:
    """The worker of short tasks, with the clock (beat) that relays and sweeps."""
    # The clock's state is kept in memory: its periods are seconds, and a schedule file is torn by a kill.
    argv = [*_celery("light", "light", 1), "--beat", "--scheduler", "celery.beat:Scheduler"]
    return Service(name="light", argv=argv, env=env, stop=_WORKER_STOP)


def unanswered(url: str) -> str | None:
    """None where GET of this URL gives 200, else what came instead; proxies of the environment are not asked."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=_PROBE_SECONDS)
    try:
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        body = answer.read(_LONGEST_ANSWER).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return f"nothing answered GET {parts.path}: {error or type(error).__name__}"
    finally:
        connection.close()
    return None if answer.status == http.client.OK else f"GET {parts.path} answered {answer.status}: {body}"


def _celery(name: str, queues: str, concurrency: int) -> list[str]:
    # The supervisor's process id keeps two stacks of one machine apart on a broker that they share.
    node = f"{name}-{os.getpid()}@{socket.gethostname()}"
    return [
        *(sys.executable, "-m", "celery", "--app", "workers.celery_app:app", "worker"),
        *("--queues", queues, "--concurrency", str(concurrency), "--prefetch-multiplier", "1"),
        *("--hostname", node, "--loglevel", "INFO", "--without-gossip", "--without-mingle"),
    ]
