"""How Alembic runs here: as the owner, one migrator at a time, never waiting long for a lock."""

from alembic import context
from sqlalchemy import Connection, text

from app.ledger.tables import Base

MIGRATING = 0x616E7465_6D696772  # "antemigr": the advisory lock of whoever migrates
TIMEOUTS = ("SET LOCAL lock_timeout = '10s'", "SET LOCAL statement_timeout = '60s'")


def run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=Base.metadata, transactional_ddl=True)
    with context.begin_transaction():
        for statement in TIMEOUTS:
            connection.execute(text(statement))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        context.run_migrations()


run(context.config.attributes["connection"])
