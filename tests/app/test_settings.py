from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.settings import Settings, SettingsError, broker_url, read_settings, variable


def test_nothing_set_means_embedded_and_loopback(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    settings = read_settings()
    assert (settings.database_url, settings.redis_url) == (None, None)
    assert (settings.host, settings.port) == ("127.0.0.1", 8000)
    assert settings.data == tmp_path / ".antedate"
    assert settings.signing_key == tmp_path / ".antedate" / "secrets" / "signing.key"
    assert settings.worker_concurrency >= 1


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_every_postgres_url_gets_the_driver_we_have(monkeypatch, scheme):
    monkeypatch.setenv("DATABASE_URL", f"{scheme}://antedate_app:p%40ss@db:5432/antedate?sslmode=require")
    expected = "postgresql+psycopg://antedate_app:p%40ss@db:5432/antedate?sslmode=require"
    assert read_settings().database_url == expected


def test_a_socket_has_one_name_for_redis_and_another_for_celery(monkeypatch):
    for given_url in ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock"):
        monkeypatch.setenv("REDIS_URL", given_url)
        redis_url = read_settings().redis_url
        assert redis_url == "unix:///run/valkey.sock"
        assert broker_url(redis_url) == "redis+socket:///run/valkey.sock"
    assert broker_url("rediss://h:6379/1") == "rediss://h:6379/1?ssl_cert_reqs=CERT_REQUIRED"
    assert broker_url("rediss://h:6379/1?a=b&ssl_cert_reqs=CERT_NONE").endswith("?a=b&ssl_cert_reqs=CERT_NONE")


BAD = {
    "DATABASE_URL": "mysql://user:secret@db/antedate",
    "DATABASE_OWNER_URL": "secret",
    "REDIS_URL": "amqp://user:secret@mq",
    "ANTEDATE_HOST": None,
    "ANTEDATE_PORT": "eight",
    "ANTEDATE_DATA": None,
    "ANTEDATE_MODEL_ROOT": "/nonexistent/models",
    "ANTEDATE_SIGNING_KEY_FILE": None,
    "ANTEDATE_LOG_NAME": "My log",
    "ANTEDATE_CHECKPOINT_FILE": None,
    "ANTEDATE_WORKER_CONCURRENCY": "0",
    "ANTEDATE_LEASE_SECONDS": "-5",
    "ANTEDATE_OVERDUE_HOURS": "0",
    "ANTEDATE_PATCH_MEMORY_MB": "0",
    "ANTEDATE_TIMESTAMP_URL": "ftp://tsa.example",
    "ANTEDATE_TIMESTAMP_ROOTS": "/nonexistent/roots.pem",
    "ANTEDATE_WITNESSES": "/nonexistent/witnesses.txt",
    "ANTEDATE_BEACON_URL": "https://somebody:else@127.0.0.1",
    "ANTEDATE_BEACON_CHAIN": "8990E7A9",
    "ANTEDATE_BEACON_WAIT_SECONDS": "-1",
}


def test_every_bad_variable_is_named_at_once_with_its_value_unless_that_is_a_url(monkeypatch):
    assert set(BAD) == {variable(field) for field in Settings.model_fields}
    bad = {name: value for name, value in BAD.items() if value is not None}
    for name, value in bad.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        read_settings()
    lines = str(refused.value).splitlines()
    assert len(lines) == len(bad)
    for name, value in bad.items():
        line = next(line for line in lines if line.startswith(name))
        assert ("secret" in value) or f"{name}={value} cannot be used" in line
    assert "secret" not in str(refused.value)


def test_an_authority_needs_the_roots_that_it_is_trusted_under(monkeypatch):
    monkeypatch.setenv("ANTEDATE_TIMESTAMP_URL", "https://tsa.example/tsr/")
    with pytest.raises(SettingsError, match="ANTEDATE_TIMESTAMP_ROOTS=None cannot be used: an authority is trusted"):
        read_settings()
    monkeypatch.setenv("ANTEDATE_TIMESTAMP_ROOTS", __file__)
    assert read_settings().timestamp_url == "https://tsa.example/tsr/"


def test_the_three_urls_have_no_prefix(monkeypatch):
    monkeypatch.setenv("ANTEDATE_DATABASE_URL", "postgresql://db/antedate")
    assert read_settings().database_url is None


def test_empty_is_unset(monkeypatch):
    for name in BAD:
        monkeypatch.setenv(name, "")
    assert read_settings().database_url is None


def test_settings_are_frozen(tmp_path):
    settings = Settings(data=tmp_path)
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1
    assert settings.data == tmp_path
    assert Settings(signing_key_file=Path("/k")).signing_key == Path("/k")


@given(password=st.text(alphabet="abcdefghijk0123456789", min_size=12, max_size=30))
def test_no_password_is_ever_shown(password):
    url = f"postgresql://user:{password}@db/antedate"
    settings = Settings(database_url=url, database_owner_url=url, redis_url=f"redis://:{password}@mq")
    assert password not in repr(settings) + str(settings)
