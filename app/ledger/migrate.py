"""Bring a database to this version's schema, as its owner."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import migrations
from app.ledger.database import engine_for

APP_ROLE = "antedate_app"


class MigrationRefusedError(RuntimeError):
    """The database or its roles are not as a migration needs them; the text says what to do."""


def upgrade(owner_url: str, *, app_role: str = APP_ROLE) -> None:
    """Migrate to the newest schema and grant `app_role` its rights. Running it again changes nothing.

    Raises `MigrationRefusedError` when the role is absent or so powerful that its grants would mean nothing.
    """
    engine = engine_for(owner_url, pool_size=1)
    try:
        with engine.begin() as connection:
            _check_role(connection, app_role)
            config = _config()
            config.attributes.update(connection=connection, app_role=app_role)
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def is_current(url: str) -> bool:
    """Whether the database behind `url` (any role's) has exactly this version's schema."""
    return other_schema(url) is None


def other_schema(url: str) -> str | None:
    """Which schema the database behind `url` has instead of this version's, in words; None where it has this one's."""
    engine = engine_for(url, pool_size=1)
    try:
        with engine.connect() as connection:
            heads = MigrationContext.configure(connection).get_current_heads()
    finally:
        engine.dispose()
    due = ScriptDirectory.from_config(_config()).get_heads()
    return None if set(heads) == set(due) else f"{', '.join(heads) or 'none'}, and this version's is {', '.join(due)}"


def _config() -> Config:
    """Alembic's configuration without an ini file, so that it works from any directory."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


def _check_role(connection: Connection, role: str) -> None:
    found = connection.execute(
        text(
            "SELECT rolsuper, rolname = current_user OR pg_has_role(rolname, current_user, 'MEMBER') AS owner"
            " FROM pg_roles WHERE rolname = :role"
        ),
        {"role": role},
    ).one_or_none()
    if found is None:
        raise MigrationRefusedError(
            f"the application role {role!r} does not exist: create it (CREATE ROLE {role} LOGIN PASSWORD …), "
            "or name in DATABASE_URL the role that the service is to use"
        )
    if found.rolsuper or found.owner:
        raise MigrationRefusedError(
            f"the application role {role!r} is a superuser or acts as the tables' owner, so it could change the log: "
            "let DATABASE_URL name an ordinary role, and DATABASE_OWNER_URL the one that owns the tables"
        )
