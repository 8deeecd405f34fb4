"""Ending what a killed supervisor left running, and nothing else.

Two kinds of process are ours beyond doubt, for whoever holds the directory's lock: one that carries the directory
in the environment variable that only the supervisor sets (it descends from a supervisor of this directory), and a
Postgres or Valkey whose working directory is this data directory (both go there and stay). Neither proof needs a
pid file, which a kill can leave stale or unwritten; psutil compares start times before it sends a signal.
"""

import signal
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from app.embedded.directories import DataDirectory
from app.embedded.errors import EmbeddedError

MARK = "ANTEDATE_SUPERVISED"
# Clients keep nothing that Postgres does not already hold; a server may be writing a checkpoint.
_CLIENT_GRACE_SECONDS = 3.0
_SERVER_GRACE_SECONDS = 10.0
_KILL_GRACE_SECONDS = 5.0


def end_leftovers(directory: DataDirectory) -> list[str]:
    """End this directory's processes, clients before servers; says which there were, a server's children apart.

    Call only while holding the directory's lock. Raises EmbeddedError for a process that will not end.
    """
    servers = _working_in(directory.postgres, "postgres") + _working_in(directory.valkey, "valkey-server")
    clients = [process for process in _marked(directory.root) if process not in servers]
    names = [f"{_name(process)} ({process.pid})" for process in [*clients, *_first(servers)]]
    _end(clients, signal.SIGTERM, _CLIENT_GRACE_SECONDS)
    end_server(directory.postgres, "postgres", signal.SIGINT)
    end_server(directory.valkey, "valkey-server", signal.SIGTERM)
    return names


def end_server(data: Path, program: str, how: signal.Signals) -> None:
    """End the `program` that works in `data`: the first process by `how`, which ends its own children."""
    processes = _working_in(data, program)
    _end(_first(processes), how, _SERVER_GRACE_SECONDS, also=processes)


def _first(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that none of the others started."""
    inside = {process.pid for process in processes}
    return [process for process in processes if _parent(process) not in inside]


def _end(told: list[psutil.Process], how: signal.Signals, grace: float, also: Iterable[psutil.Process] = ()) -> None:
    everyone = {*told, *also}
    for whom, signal_number, seconds in ((set(told), how, grace), (everyone, signal.SIGKILL, _KILL_GRACE_SECONDS)):
        for process in filter(_alive, whom):
            _send(process, signal_number)
        deadline = time.monotonic() + seconds
        while any(map(_alive, everyone)) and time.monotonic() < deadline:
            time.sleep(0.02)
    if stubborn := [process.pid for process in everyone if _alive(process)]:
        raise EmbeddedError(f"processes {stubborn} of an earlier start do not end: end them, then start again")


def _send(process: psutil.Process, signal_number: signal.Signals) -> None:
    try:
        process.send_signal(signal_number)
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise EmbeddedError(
            f"process {process.pid} of an earlier start belongs to another user: end it, then start again"
        ) from error


def _alive(process: psutil.Process) -> bool:
    # Under a first process that reaps nobody, an ended orphan stays in the table as a zombie.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _marked(root: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _mark(process) == str(root) and _alive(process)]


def _mark(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(MARK)
    except (psutil.Error, OSError):
        return None


def _working_in(data: Path, program: str) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _works_in(process, data, program) and _alive(process)]


def _works_in(process: psutil.Process, data: Path, program: str) -> bool:
    try:
        return process.name() == program and Path(process.cwd()) == data
    except (psutil.Error, OSError):
        return False


def _parent(process: psutil.Process) -> int | None:
    try:
        return process.ppid()
    except psutil.NoSuchProcess:
        return None


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return "ended"
