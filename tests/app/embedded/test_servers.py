"""The embedded servers as others find them."""

import socket

import psycopg
import pytest
import pytest_socket
import redis
from kombu import Connection
from sqlalchemy import create_engine, text

from app.embedded.endpoints import Endpoints
from app.ledger.migrate import is_current
from app.settings import broker_url


def test_both_roles_reach_the_migrated_database_and_only_the_owner_may_change_it(database_urls: Endpoints):
    assert is_current(database_urls.database_url)
    for url, may in ((database_urls.database_owner_url, True), (database_urls.database_url, False)):
        engine = create_engine(url)
        with engine.connect() as connection:
            allowed = connection.execute(text("SELECT has_schema_privilege('public', 'CREATE')")).scalar_one()
        engine.dispose()
        assert allowed is may


def test_neither_role_is_powerful(postgres):
    with postgres.superuser() as connection:
        roles = connection.execute(
            "SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles"
            " WHERE rolname LIKE 'antedate%' ORDER BY 1"
        ).fetchall()
    assert roles == [("antedate_app", *[False] * 5), ("antedate_owner", *[False] * 5)]


def test_postgres_is_durable_checked_and_off_the_network(postgres):
    with postgres.superuser("antedate") as connection:
        shown = {
            name: connection.execute(f"SHOW {name}").fetchone()[0]
            for name in (
                "fsync",
                "full_page_writes",
                "data_checksums",
                "listen_addresses",
                "server_encoding",
                "timezone",
            )
        }
        provider = connection.execute(
            "SELECT datlocprovider, datlocale, datcollate FROM pg_database WHERE datname = 'antedate'"
        ).fetchone()
    assert shown == {
        "fsync": "on",
        "full_page_writes": "on",
        "data_checksums": "on",
        "listen_addresses": "",
        "server_encoding": "UTF8",
        "timezone": "UTC",
    }
    assert provider == ("b", "C.UTF-8", "C")


def test_only_the_private_socket_directory_leads_in(server_directory):
    assert server_directory.sockets.stat().st_mode & 0o777 == 0o700
    assert server_directory.postgres.stat().st_mode & 0o777 == 0o700
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(host="127.0.0.1", port=5432, user="antedate_app", dbname="antedate", connect_timeout=2)


def test_valkey_keeps_what_it_is_given(valkey: str):
    with redis.Redis.from_url(valkey) as client:
        configured = client.config_get("appendonly", "maxmemory-policy", "port")
    assert configured == {"appendonly": "yes", "maxmemory-policy": "noeviction", "port": "0"}


def test_celerys_form_of_the_url_reaches_the_same_valkey(valkey: str):
    with Connection(broker_url(valkey)) as connection:
        queue = connection.SimpleQueue("spoken")
        queue.put({"said": "hello"})
        with redis.Redis.from_url(valkey) as client:
            assert client.llen("spoken") == 1
        message = queue.get(timeout=60)
        message.ack()
        queue.close()
    assert message.payload == {"said": "hello"}


def test_sockets_beyond_this_machine_are_blocked():
    with (
        socket.socket() as outward,
        pytest.warns(UserWarning, match="192"),
        pytest.raises(pytest_socket.SocketConnectBlockedError),
    ):
        outward.connect(("192.0.2.1", 80))
