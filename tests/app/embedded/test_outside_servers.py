"""DATABASE_URL and REDIS_URL each put an outside server in the place of the embedded one."""

import pytest

from app.embedded.endpoints import Endpoints
from app.embedded.errors import EmbeddedError
from app.embedded.stack import migrate


def test_outside_servers_are_used_and_none_is_started(up, ours, postgres, valkey):
    with postgres.database("antedate_outside") as urls:
        stack = up(DATABASE_URL=urls.database_url, DATABASE_OWNER_URL=urls.database_owner_url, REDIS_URL=valkey)
        assert stack.said["database_url"] == urls.database_url
        assert stack.said["redis_url"] == valkey
        assert {process.name() for process in ours()} & {"postgres", "valkey-server"} == set()
        with stack.database() as connection:
            assert connection.execute("SELECT count(*) FROM alembic_version").fetchone() == (1,)
        api = next(process for process in ours() if "trivial_api.py" in " ".join(process.cmdline()))
        assert api.environ()["DATABASE_URL"] == urls.database_url
        assert "DATABASE_OWNER_URL" not in api.environ()
        stack.process.terminate()
        assert stack.process.wait(timeout=60) == 0
        # Migrated once, it is enough to be the application from then on.
        up(DATABASE_URL=urls.database_url, REDIS_URL=valkey)


def test_an_outside_broker_alone_leaves_postgres_embedded(up, ours, valkey):
    stack = up(REDIS_URL=valkey)
    assert stack.said["redis_url"] == valkey
    assert {process.name() for process in ours()} & {"postgres", "valkey-server"} == {"postgres"}


def test_an_unmigrated_database_without_its_owner_is_refused_with_what_to_set(start, ours, postgres, valkey):
    with postgres.database("antedate_unmigrated") as urls:
        process = start(DATABASE_URL=urls.database_url, REDIS_URL=valkey)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "set DATABASE_OWNER_URL" in error
    assert "Traceback" not in error
    assert ours() == []


def test_an_owner_without_a_database_is_refused_rather_than_ignored(start):
    process = start(DATABASE_OWNER_URL="postgresql://owner:secret@db/antedate")
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert error.startswith("DATABASE_OWNER_URL is set and DATABASE_URL is not")


def test_a_database_that_is_down_is_an_error_without_the_password():
    url = "postgresql+psycopg://antedate_app:secret@127.0.0.1:1/antedate"
    with pytest.raises(EmbeddedError, match="cannot bring the database") as refused:
        migrate(Endpoints(database_url=url, database_owner_url=url, redis_url="redis://127.0.0.1"))
    assert "secret" not in str(refused.value)


def test_a_broker_that_is_down_is_refused_with_what_to_do(start):
    process = start(REDIS_URL="redis://:secret@127.0.0.1:1/0")
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "REDIS_URL names a server that does not answer" in error
    assert "secret" not in error
