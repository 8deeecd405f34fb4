"""Nobody edits the log: not the application by its rights, not the owner by the triggers."""

import subprocess

import psycopg
import pytest

from app.embedded.postgres import APPLICATION
from app.embedded.programs import postgres_bin
from app.ledger.append import append

CHANGES = (
    "UPDATE entries SET actor = 'mallory'",
    "UPDATE entries SET actor = 'mallory' WHERE false",
    "DELETE FROM entries",
    "DELETE FROM entries WHERE false",
    "TRUNCATE entries",
    "TRUNCATE entries CASCADE",
)


@pytest.fixture
def database(urls, ledger):
    with ledger.begin() as session:
        append(session, "noted", None, "ada", {"note": "first"})
    return urls.database_url.partition("@/")[2].partition("?")[0]


@pytest.mark.parametrize("statement", CHANGES)
def test_psql_as_the_application_role_cannot_change_entries(postgres, database, statement):
    psql = postgres_bin(postgres.directory) / "psql"
    command = [psql, "-h", postgres.directory.sockets, "-U", APPLICATION, "-d", database, "-c", statement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "permission denied for table entries" in done.stderr


@pytest.mark.parametrize("statement", CHANGES)
@pytest.mark.parametrize("replica", [False, True])
def test_nor_can_a_superuser_without_taking_the_triggers_away(postgres, database, statement, replica):
    with postgres.superuser(database) as connection:
        if replica:
            connection.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="the log is append-only"):
            connection.execute(statement)
        assert connection.execute("SELECT actor FROM entries").fetchall() == [("ada",)]


@pytest.fixture
def application(urls):
    with psycopg.connect(urls.database_url.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


REMOVALS = ("DELETE FROM {}", "TRUNCATE {}", "ALTER TABLE {} DISABLE TRIGGER ALL", "DROP TABLE {}")


@pytest.mark.parametrize("change", REMOVALS)
@pytest.mark.parametrize("table", ["entries", "blobs", "blob_chunks", "nonces", "receipts", "idempotent_requests"])
def test_what_is_written_once_is_not_the_applications_to_change(application, table, change):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute(change.format(table))


def test_the_application_role_may_make_no_table(application):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        application.execute("CREATE TABLE anything ()")


def test_an_entry_whose_leaf_is_not_the_hash_of_its_bytes_is_refused(application):
    with pytest.raises(psycopg.errors.CheckViolation, match="leaf_hash"):
        application.execute(
            "INSERT INTO entries VALUES (0, 'noted', NULL, 'ada', now(), '{}', 'bytes', sha256('bytes'))"
        )
