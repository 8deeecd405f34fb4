"""How to reach the embedded servers."""

from dataclasses import dataclass
from pathlib import Path

from app.embedded.directories import POSTGRES_PORT, DataDirectory
from app.embedded.postgres import APPLICATION, DATABASE, OWNER
from app.settings import Settings


@dataclass(frozen=True)
class Endpoints:
    """URLs of the two servers, embedded or not. `database_owner_url` is absent where an operator keeps it."""

    database_url: str
    database_owner_url: str | None
    redis_url: str


def endpoints(settings: Settings, directory: DataDirectory) -> Endpoints:
    embedded = settings.database_url is None
    return Endpoints(
        database_url=settings.database_url or postgres_url(directory.sockets, APPLICATION),
        database_owner_url=postgres_url(directory.sockets, OWNER) if embedded else settings.database_owner_url,
        redis_url=settings.redis_url or f"unix://{directory.valkey_socket}",
    )


def postgres_url(sockets: Path, role: str, database: str = DATABASE) -> str:
    return f"postgresql+psycopg://{role}@/{database}?host={sockets}&port={POSTGRES_PORT}"
