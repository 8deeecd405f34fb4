from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings, SettingsError


def test_up_and_ready(client):
    assert client.get("/healthz").json() == {"status": "up"}
    assert client.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("update", "missing"),
    [
        ({"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/nothing"}, ["database"]),
        ({"redis_url": "redis://127.0.0.1:1/0"}, ["broker"]),
        (
            {"database_url": "postgresql+psycopg://nobody@127.0.0.1:1/nothing", "redis_url": "redis://127.0.0.1:1/0"},
            ["database", "broker"],
        ),
    ],
)
def test_what_is_missing_is_named(settings, problem_of, update, missing):
    with TestClient(create_app(settings.model_copy(update=update))) as client:
        problem = problem_of(client.get("/readyz"), 503, "not_ready")
        assert [flaw["code"] for flaw in problem["errors"]] == missing
        assert client.get("/healthz").status_code == 200


def test_a_database_without_the_schema_is_not_ready(settings, postgres, problem_of):
    with postgres.database("api_tests_empty") as urls:
        app = create_app(settings.model_copy(update={"database_url": urls.database_url}))
        problem = problem_of(TestClient(app).get("/readyz"), 503, "not_ready")
        assert [flaw["code"] for flaw in problem["errors"]] == ["schema"]
        app.state.ledger.dispose()


def test_it_does_not_start_without_servers(tmp_path: Path):
    with pytest.raises(SettingsError, match="DATABASE_URL and REDIS_URL"):
        create_app(Settings(data=tmp_path))
