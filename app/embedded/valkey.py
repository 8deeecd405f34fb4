"""The embedded Valkey: the queues, kept on disk."""

import signal

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.embedded.directories import DataDirectory
from app.embedded.errors import EmbeddedError
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
        unready=lambda: _silent(directory),
        prepare=lambda: end_server(directory.valkey, "valkey-server", signal.SIGTERM),
        stop=(StopSignal(signal.SIGTERM, 10.0),),
        account=directory.account,
    )


def check_broker(url: str) -> None:
    """Raises EmbeddedError where no Redis or Valkey answers at this URL, which may hold a password."""
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5) as client:
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise EmbeddedError(
            f"REDIS_URL names a server that does not answer ({error}): start it, correct the URL, "
            "or unset REDIS_URL to use the embedded one"
        ) from error


def _silent(directory: DataDirectory) -> str | None:
    # Asked again in a moment anyway: the client's own retries would only hold up the others.
    once = Retry(NoBackoff(), 0)
    with redis.Redis(unix_socket_path=str(directory.valkey_socket), socket_timeout=2, retry=once) as client:
        try:
            client.ping()
        except redis.RedisError as error:
            return f"no answer at {directory.valkey_socket}: {error}"
    return None
