"""`antedate migrate`: for deployments where nothing else runs as the database's owner."""

from __future__ import annotations

from app.cli.errors import BadInputError, CommandError
from app.cli.output import line
from app.embedded.endpoints import Endpoints
from app.embedded.errors import EmbeddedError
from app.embedded.stack import migrate as bring_up_to_date
from app.settings import SettingsError, read_settings


def migrate() -> None:
    """Bring the database to this version's schema.

    As its owner, DATABASE_OWNER_URL; the role of DATABASE_URL is granted what the service needs and no more.
    """
    try:
        settings = read_settings()
    except SettingsError as error:
        raise BadInputError(str(error)) from error
    if settings.database_url is None or settings.database_owner_url is None:
        raise BadInputError("set DATABASE_OWNER_URL and DATABASE_URL; `antedate up` migrates its own by itself.")
    try:
        bring_up_to_date(Endpoints(settings.database_url, settings.database_owner_url, redis_url=""))
    except EmbeddedError as error:
        raise CommandError(str(error)) from error
    line("schema", "this version's")
