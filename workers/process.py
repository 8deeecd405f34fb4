"""What a worker process keeps: its connection to the ledger, its settings, its name, the code it loaded."""

from __future__ import annotations

import os
import socket
from functools import cache

from celery.platforms import set_pdeathsig  # type: ignore[attr-defined] # its stubs do not know it

from app.ledger.database import Ledger
from app.ledger.signing import Signing, load_or_create
from app.settings import Settings, SettingsError, read_settings
from workers import source

CONNECTIONS = 2  # one for the task, one for its heartbeat


@cache
def settings() -> Settings:
    return read_settings()


@cache
def ledger() -> Ledger:
    """This process's own connections: a child that shared its parent's would garble both."""
    url = settings().database_url
    if url is None:
        raise SettingsError("a worker needs DATABASE_URL")
    return Ledger(url, pool_size=CONNECTIONS)


@cache
def signing() -> Signing:
    """The log's key, for the clock's process: it signs the heads of the log."""
    return load_or_create(settings().signing_key, settings().log_name)


def name() -> str:
    """Who this is, as a shard's `worker` says it: host and process."""
    return f"{socket.gethostname()}/{os.getpid()}"


def die_with_parent(**_: object) -> None:
    """End the clock's process when its worker is killed; Celery sees to that for the pool's children alone."""
    set_pdeathsig("SIGKILL")


def prepare_parent(**_: object) -> None:
    """Note which code is loaded, before any child is forked and before anybody can change it."""
    source.note_loaded()


def prepare_torch() -> None:
    """Load torch, in the child alone, with one thread unless OMP_NUM_THREADS says otherwise.

    Children measure side by side: with a thread for every core in each, a forward took fifty times as long.
    """
    # Spinning OpenMP threads of several processes starve each other; read when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch  # noqa: PLC0415 - the parent, and workers that never measure, do without it

    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)


def leave_child(**_: object) -> None:
    if ledger.cache_info().currsize:
        ledger().dispose()
