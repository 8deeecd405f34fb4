"""The one place that opens transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, create_engine, make_url
from sqlmodel import Session

# A client that went away must not hold the log's lock: Postgres ends its transaction.
SESSION_LIMITS = "-c timezone=UTC -c lock_timeout=30s -c idle_in_transaction_session_timeout=10min"


def engine_for(url: str, *, pool_size: int = 5) -> Engine:
    """An engine over psycopg for a `postgresql://` URL."""
    return create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=10,  # an answer that must wait longer is better refused
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",  # what is read under the log's lock must be as of the lock
        connect_args={"options": SESSION_LIMITS, "connect_timeout": 10},
    )


class Ledger:
    """The ledger's database, reached as the application role."""

    def __init__(self, url: str, *, pool_size: int = 5) -> None:
        self.engine = engine_for(url, pool_size=pool_size)

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """A session in one transaction, committed when the block ends and rolled back when it raises.

        What was read stays readable after the commit.
        """
        with Session(self.engine, expire_on_commit=False) as session, session.begin():
            yield session

    def dispose(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()
