"""Commands that operators run beside the database: they do not go through the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import ArgumentError, OperationalError
from sqlmodel import Session

from app.cli.errors import BadInputError, UnreachableError
from app.cli.local import running_here
from app.embedded.endpoints import postgres_url
from app.embedded.postgres import APPLICATION
from app.ledger.checkpoints import Issued, read_copies
from app.ledger.database import Ledger
from app.ledger.migrate import is_current
from app.ledger.signing import Signing, SigningKeyError, load_or_create
from app.settings import Settings, SettingsError, read_settings


@contextmanager
def ledger_here() -> Iterator[Ledger]:
    """The ledger whose database DATABASE_URL names, else that of the service running here."""
    url = settings_here().database_url or postgres_url(Path(running_here().sockets), APPLICATION)
    _check_usable(url)
    ledger = Ledger(url, pool_size=1)
    try:
        yield ledger
    finally:
        ledger.dispose()


def _check_usable(url: str) -> None:
    try:
        current = is_current(url)
    except ArgumentError as error:
        raise BadInputError("DATABASE_URL is no URL of a database, postgresql://…") from error
    except OperationalError as error:
        why = str(error.orig).partition("\n")[0]
        raise UnreachableError(f"the database does not answer: {why}. Start it, or correct DATABASE_URL.") from error
    if not current:
        raise BadInputError("the database is not at this version's schema; run `antedate migrate` for it.")


@contextmanager
def transaction() -> Iterator[Session]:
    """A transaction on that database, committed on leaving."""
    with ledger_here() as ledger, ledger.begin() as session:
        yield session


def signing_here() -> Signing | None:
    """The log's key as it is set up here; None where there is none yet: unlike the service, nobody makes one."""
    settings = settings_here()
    if not settings.signing_key.exists():
        return None
    try:
        return load_or_create(settings.signing_key, settings.log_name)
    except SigningKeyError as error:
        raise BadInputError(f"{error}.") from error
    except OSError as error:
        raise BadInputError(f"the log's key cannot be read: {error}.") from error


def settings_here() -> Settings:
    try:
        return read_settings()
    except SettingsError as error:
        raise BadInputError(str(error)) from error


def copies_in(file: Path) -> list[Issued]:
    """The checkpoints that a file outside the database remembers; none where there is no such file."""
    try:
        return list(read_copies(file))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} cannot be read as a file of checkpoints: {error}.") from error
