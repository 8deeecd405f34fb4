"""What every part's tests need: real servers, and no network beyond this machine."""

import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import pytest_socket
from hypothesis import HealthCheck, settings
from psycopg import sql

from app.embedded.accounts import server_account
from app.embedded.directories import DataDirectory, locate
from app.embedded.endpoints import Endpoints, endpoints, postgres_url
from app.embedded.lock import hold
from app.embedded.postgres import APPLICATION, OWNER, SUPERUSER, postgres_service
from app.embedded.supervisor import Stage, Supervisor
from app.embedded.valkey import valkey_service
from app.ledger.migrate import upgrade
from app.settings import Settings

# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

OURS = re.compile(r"DATABASE_URL|DATABASE_OWNER_URL|REDIS_URL|ANTEDATE_.*")


def pytest_configure() -> None:
    """The servers that a developer's environment names are nobody's to test on."""
    for name in filter(OURS.fullmatch, list(os.environ)):
        del os.environ[name]
    # What nohup or a shell's background has ignored, whatever the tests start would ignore too.
    for number, heeded in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, heeded)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", default=False, help="the full size of each campaign")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Campaigns take as long as they take."""
    if config.getoption("--full"):
        for item in items:
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture
def full(request: pytest.FixtureRequest) -> bool:
    """Whether this is a campaign at its full size, and not the slice of it that every run of the tests takes."""
    return bool(request.config.getoption("--full"))


def pytest_runtest_setup() -> None:
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@contextmanager
def reachable_directory() -> Iterator[Path]:
    """A temporary directory that the servers' account can enter: pytest's own is 0700 and, under root, root's."""
    account = server_account(Path("/nonexistent"))
    candidates = [Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]
    base = next(path for path in candidates if os.access(path, os.W_OK) and account.can_enter(path))
    directory = Path(tempfile.mkdtemp(prefix="antedate-", dir=base))
    directory.chmod(0o711 if account.dropped else 0o700)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


@pytest.fixture
def data_path() -> Iterator[Path]:
    """Where a stack of one test may keep its data; nothing is there yet."""
    with reachable_directory() as directory:
        yield directory / "data"


@pytest.fixture(scope="module")
def stack_path() -> Iterator[Path]:
    """The same for one stack that all tests of a module share."""
    with reachable_directory() as directory:
        yield directory / "data"


@dataclass(frozen=True)
class Postgres:
    """A running embedded Postgres with its two roles and the empty database `antedate`."""

    directory: DataDirectory

    def superuser(self, database: str = "postgres") -> psycopg.Connection:
        """A connection in autocommit mode, for what neither role may do."""
        return psycopg.connect(
            host=str(self.directory.sockets), port=5432, user=SUPERUSER, dbname=database, autocommit=True
        )

    @contextmanager
    def database(self, name: str) -> Iterator[Endpoints]:
        """One more empty database of the same two roles, dropped afterwards."""
        with self.superuser() as connection:
            for statement in ("DROP DATABASE IF EXISTS {0} WITH (FORCE)", "CREATE DATABASE {0} OWNER {1}"):
                connection.execute(sql.SQL(statement).format(sql.Identifier(name), sql.Identifier(OWNER)))
            yield Endpoints(
                database_url=postgres_url(self.directory.sockets, APPLICATION, name),
                database_owner_url=postgres_url(self.directory.sockets, OWNER, name),
                redis_url=endpoints(Settings(), self.directory).redis_url,
            )
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def server_directory() -> Iterator[DataDirectory]:
    """A real Postgres and a real Valkey, started by the service's own code, one of each for the whole session."""
    with reachable_directory() as base, hold(locate(base / "data")) as held:
        servers = [postgres_service(held.directory), valkey_service(held.directory)]
        with Supervisor(held.directory, [Stage(servers)]):
            yield held.directory


@pytest.fixture(scope="session")
def postgres(server_directory: DataDirectory) -> Postgres:
    return Postgres(server_directory)


@pytest.fixture(scope="session")
def database_urls(postgres: Postgres) -> Iterator[Endpoints]:
    """A migrated database of the session: `database_url` (application), `database_owner_url` (owner)."""
    with postgres.database("antedate_session") as urls:
        upgrade(urls.database_owner_url)
        yield urls


@pytest.fixture(scope="session")
def valkey(server_directory: DataDirectory) -> str:
    """URL of a real Valkey as redis-py takes it; `app.settings.broker_url` gives Celery's form."""
    return endpoints(Settings(), server_directory).redis_url


@pytest.fixture(scope="session")
def eventually() -> Callable[..., None]:
    """`eventually(condition, seconds=60)` polls until the condition holds, or fails the test with its name."""

    def poll(condition: Callable[[], object], seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"{condition.__name__} did not hold within {seconds} s"
            time.sleep(0.02)

    return poll
