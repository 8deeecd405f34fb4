"""The embedded Postgres: its cluster, its two roles, its command line."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import psycopg

from app.embedded.directories import POSTGRES_PORT, DataDirectory
from app.embedded.errors import EmbeddedError
from app.embedded.leftovers import MARK, end_server
from app.embedded.programs import POSTGRES_MAJOR, postgres_bin
from app.embedded.services import Service, StopSignal

SUPERUSER = "postgres"
DATABASE = "antedate"
OWNER = "antedate_owner"
APPLICATION = "antedate_app"

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_INITDB = (
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    # Only the socket's 0700 directory leads to the server, and whoever passes that could read the files as well.
    "--auth-local=trust",
    "--auth-host=reject",
    "--no-instructions",
)
# Single-user mode reads one statement a line.
_ROLES = f"""\
CREATE ROLE {OWNER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE
CREATE ROLE {APPLICATION} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE
CREATE DATABASE {DATABASE} OWNER {OWNER}
REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC
GRANT CONNECT ON DATABASE {DATABASE} TO {APPLICATION}
"""


def postgres_service(directory: DataDirectory) -> Service:
    """The server of this directory, its cluster made first where there is none yet."""
    programs = postgres_bin(directory)
    _initialise(directory, programs)
    settings = {
        "listen_addresses": "",
        "port": str(POSTGRES_PORT),
        "unix_socket_directories": str(directory.sockets),
        "unix_socket_permissions": "0700",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    flags = [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
    return Service(
        name="postgres",
        argv=[str(programs / "postgres"), "-D", str(directory.postgres), *flags],
        env={**_ENVIRONMENT, MARK: str(directory.root)},
        unready=lambda: _silent(directory),
        prepare=lambda: _clear(directory),
        # Fast shutdown: what is open is rolled back, what is done is written.
        stop=(StopSignal(signal.SIGINT, 30.0),),
        account=directory.account,
    )


def _initialise(directory: DataDirectory, programs: Path) -> None:
    if directory.postgres.exists():
        _check_version(directory)
        return
    # Made beside its place and moved there whole: a start that is killed half-way leaves no half cluster.
    cluster = directory.postgres.with_name("postgres.new")
    shutil.rmtree(cluster, ignore_errors=True)
    cluster.mkdir(mode=0o700)
    directory.account.owns(cluster)
    _run(directory, [programs / "initdb", "-D", cluster, *_INITDB])
    _run(directory, [programs / "postgres", "--single", "-D", cluster, "-c", "exit_on_error=on", "postgres"], _ROLES)
    cluster.rename(directory.postgres)
    _sync(directory.root)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_version(directory: DataDirectory) -> None:
    try:
        found = (directory.postgres / "PG_VERSION").read_text().strip()
    except OSError as error:
        raise EmbeddedError(
            f"cannot read the database in {directory.postgres}: {error}; start as the user who made it, "
            "or set ANTEDATE_DATA to another directory"
        ) from error
    if found != POSTGRES_MAJOR:
        raise EmbeddedError(
            f"{directory.postgres} was made by Postgres {found}, and this is {POSTGRES_MAJOR}: bring it over by pg_dump"
        )


def _run(directory: DataDirectory, argv: list[str | Path], script: str = "") -> None:
    done = subprocess.run(
        argv,
        input=script.encode(),
        check=False,
        capture_output=True,
        cwd="/",
        env={**_ENVIRONMENT, MARK: str(directory.root)},
        **directory.account.credentials(),
    )
    with (directory.logs / "initdb.log").open("ab") as log:
        log.write(done.stdout + done.stderr)
    if done.returncode != 0:
        raise EmbeddedError(f"{Path(argv[0]).name} failed in {directory.root}:\n{done.stderr.decode(errors='replace')}")


def _clear(directory: DataDirectory) -> None:
    """Make the way free for a start: no server of an earlier one, and no file that says there is.

    A lock file's process id may by now be a zombie's, or anybody's, and Postgres would believe it.
    """
    end_server(directory.postgres, "postgres", signal.SIGQUIT)
    for stale in (directory.postgres / "postmaster.pid", *directory.sockets.glob(".s.PGSQL.*")):
        stale.unlink(missing_ok=True)


def _silent(directory: DataDirectory) -> str | None:
    try:
        psycopg.connect(
            host=str(directory.sockets), port=POSTGRES_PORT, user=SUPERUSER, dbname=DATABASE, connect_timeout=2
        ).close()
    except psycopg.OperationalError as error:
        return f"no answer in {directory.sockets}: {error}"
    return None
