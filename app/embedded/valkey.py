"""The embedded Valkey: the queues, kept on disk."""

import signal

import redis

from app.embedded.directories import DataDirectory
from app.embedded.leftovers import MARK, end_server
from app.embedded.programs import valkey_server
from app.embedded.services import Service, StopSignal


def valkey_service(directory: DataDirectory) -> Service:
    settings = {
        "dir": str(directory.valkey),
        "port": "0",
        "unixsocket": str(directory.valkey_socket),
        "unixsocketperm": "700",
        # The append-only file alone: a message that was queued is there after a kill, at most a second's worth lost,
        # and the relay sends those again.
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    flags = [argument for name, value in settings.items() for argument in (f"--{name}", value)]
    return Service(
        name="valkey",
        argv=[str(valkey_server(directory)), *flags],
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", MARK: str(directory.root)},
        ready=lambda: _answers(directory),
        prepare=lambda: end_server(directory.valkey, "valkey-server", signal.SIGTERM),
        stop=(StopSignal(signal.SIGTERM, 10.0),),
        account=directory.account,
    )


def _answers(directory: DataDirectory) -> bool:
    with redis.Redis(unix_socket_path=str(directory.valkey_socket), socket_timeout=2) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
