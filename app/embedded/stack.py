"""`antedate up`: the whole service on one machine."""

import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from urllib.parse import unquote, urlsplit

from sqlalchemy.exc import SQLAlchemyError

from app.embedded.directories import DataDirectory, locate
from app.embedded.endpoints import Endpoints, endpoints
from app.embedded.errors import EmbeddedError
from app.embedded.lock import hold
from app.embedded.ports import listen, reachable_url
from app.embedded.postgres import postgres_service
from app.embedded.processes import api_service, environment, light_service, worker_service
from app.embedded.running import publish, retract
from app.embedded.signals import Stopping, StopRequested, stop_signals
from app.embedded.supervisor import Stage, Supervisor
from app.embedded.valkey import check_broker, valkey_service
from app.ledger.migrate import MigrationRefusedError, is_current, upgrade
from app.settings import Settings


@dataclass(frozen=True)
class Stack:
    """A service that serves at `url`. `ended` names processes that an earlier, killed start had left."""

    url: str
    directory: DataDirectory
    endpoints: Endpoints
    asked_port: int
    ended: list[str]

    @property
    def serving(self) -> str:
        """One line for people: where, and why it is not where they asked."""
        taken = "" if urlsplit(self.url).port == self.asked_port else f" ({self.asked_port} is taken)"
        return f"serving at {self.url}{taken}"


Processes = Callable[[Settings, DataDirectory, Endpoints, socket.socket], Iterable[Stage]]


def our_processes(
    settings: Settings, directory: DataDirectory, urls: Endpoints, listener: socket.socket
) -> Iterator[Stage]:
    """The two workers, whom nobody waits for, and the API, whose answer says that the service is up.

    Stopping goes the other way: nothing more is filed while the workers finish.
    """
    env = environment(directory, urls)
    yield Stage([worker_service(settings.worker_concurrency, env), light_service(env)], awaited=False)
    yield Stage([api_service(listener, env)])


def run(settings: Settings, then: Callable[[Stack], None], processes: Processes = our_processes) -> None:
    """Start everything, call `then` once it serves, keep serving until SIGINT, SIGTERM or SIGHUP, stop in order.

    Call from the main thread. `then` is interrupted by such a signal; what it raises ends the service and goes to the
    caller. Raises EmbeddedError for what cannot start or keeps ending.
    """
    with stop_signals() as stopping:
        try:
            with _serving(settings, processes, stopping) as stack:
                then(stack)
                stopping.wait()
        except StopRequested:
            if stopping.supervisor and stopping.supervisor.failure:
                raise stopping.supervisor.failure from None


@contextmanager
def _serving(settings: Settings, processes: Processes, stopping: Stopping) -> Iterator[Stack]:
    if settings.database_owner_url is not None and settings.database_url is None:
        raise EmbeddedError(
            "DATABASE_OWNER_URL is set and DATABASE_URL is not: set both for a server of your own, or neither"
        )
    embedded = settings.database_url is None or settings.redis_url is None
    directory = locate(settings.data, servers=embedded)
    urls = endpoints(settings, directory)
    with ExitStack() as opened:
        held = opened.enter_context(hold(directory))
        listener = opened.enter_context(listen(settings.host, settings.port))
        url = reachable_url(listener)
        stages = chain(_server_stage(settings, directory, urls), processes(settings, directory, urls, listener))
        stopping.supervisor = Supervisor(directory, stages, on_failure=stopping.request)
        opened.callback(retract, directory.root)
        opened.enter_context(stopping.supervisor)
        publish(url, directory.root, directory.sockets)
        yield Stack(url, directory, urls, settings.port, held.ended)


def _server_stage(settings: Settings, directory: DataDirectory, urls: Endpoints) -> Iterator[Stage]:
    servers = []
    if settings.database_url is None:
        servers.append(postgres_service(directory))
    if settings.redis_url is None:
        servers.append(valkey_service(directory))
    else:
        check_broker(settings.redis_url)
    yield Stage(servers, then=lambda: migrate(urls))


def migrate(urls: Endpoints) -> None:
    """Bring the database to this version's schema, as its owner.

    Raises EmbeddedError where that cannot be done, or where the owner's URL is needed and absent.
    """
    try:
        if urls.database_owner_url is not None:
            upgrade(urls.database_owner_url, app_role=unquote(urlsplit(urls.database_url).username or ""))
        elif not is_current(urls.database_url):
            raise EmbeddedError(
                "the database of DATABASE_URL does not have this version's schema, and only its owner may migrate it: "
                "set DATABASE_OWNER_URL to the same database with the owner's user and password, and start again"
            )
    except (MigrationRefusedError, SQLAlchemyError) as error:
        raise EmbeddedError(f"cannot bring the database to this version's schema: {error}") from error
