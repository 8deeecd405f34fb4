"""A service of its own whose database can be told that time has passed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.registrants import SCOPES, issue_key, register
from app.main import create_app
from app.settings import Settings

NAMES = ("ada", "bob", "eve", "dan", "fay")
# Postgres looks for functions in the schemas of the search path in their order, and in pg_catalog first unless named.
CLOCK = """
CREATE SCHEMA later;
CREATE TABLE later.passed (span interval NOT NULL);
INSERT INTO later.passed VALUES ('0 h');
CREATE FUNCTION later.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + span FROM later.passed';
GRANT USAGE ON SCHEMA later TO antedate_app;
GRANT SELECT ON later.passed TO antedate_app;
ALTER DATABASE forecast_tests SET search_path = public, later, pg_catalog;
"""


@dataclass(frozen=True)
class Service:
    """The application and its ledger, and a key of each name with every scope."""

    client: TestClient
    ledger: Ledger
    settings: Settings
    keys: dict[str, str]

    @property
    def ada(self) -> str:
        return self.keys["ada"]

    def file(self, body: bytes, key: str | None = None, **headers: str) -> Response:
        return self.send("/v1/predictions", body, key or self.ada, **headers)

    def send(self, path: str, body: bytes, key: str, **headers: str) -> Response:
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {key}", **headers}
        return self.client.post(path, content=body, headers=sent)

    def post(self, who: str, path: str, body: Any) -> Response:
        return self.client.post(path, json=body, headers={"Authorization": f"Bearer {self.keys[who]}"})


@pytest.fixture(scope="session")
def service(postgres, tmp_path_factory) -> Iterator[Service]:
    root = tmp_path_factory.mktemp("forecasts")
    with postgres.database("forecast_tests") as urls:
        upgrade(urls.database_owner_url)
        with postgres.superuser("forecast_tests") as connection:
            connection.execute(CLOCK)
        settings = Settings(database_url=urls.database_url, redis_url=urls.redis_url, data=root)
        app = create_app(settings)
        with TestClient(app) as client:
            ledger: Ledger = app.state.ledger
            with ledger.begin() as session:
                for name in NAMES:
                    register(session, name, name.title())
                keys = {name: issue_key(session, name, SCOPES) for name in NAMES}
            yield Service(client, ledger, settings, keys)


@pytest.fixture
def pass_time(service: Service, postgres) -> Callable[[timedelta], None]:
    """`pass_time(span)`: so much later it is from now on, by the database's clock, which the whole ledger goes by."""

    def passed(span: timedelta) -> None:
        with postgres.superuser("forecast_tests") as connection:
            connection.execute("UPDATE later.passed SET span = span + %s", [span])

    return passed
