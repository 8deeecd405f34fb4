"""What the service reads from its environment, in one place."""

import os
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, DirectoryPath, Field, FilePath, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from claims.beacon import MAINNET

_POSTGRES_SCHEMES = {"postgresql", "postgres", "postgresql+psycopg"}
_REDIS_SCHEMES = {"redis", "rediss", "unix", "redis+socket"}


class SettingsError(Exception):
    """One or more environment variables cannot be used; the text names each and says what to set."""


def _postgres_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _POSTGRES_SCHEMES:
        raise ValueError("give a URL of the form postgresql://user:password@host:5432/database")
    return f"postgresql+psycopg://{rest}"


def _redis_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _REDIS_SCHEMES:
        raise ValueError("give a URL of the form redis://host:6379/0, rediss://host:6379/0 or unix:///path/to/socket")
    return f"unix://{rest}" if scheme == "redis+socket" else url


def _http_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("give a URL of the form https://host/path, without a user, a query or a fragment")
    return url


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


HttpUrl = Annotated[str, AfterValidator(_http_url)]
PostgresUrl = Annotated[str, AfterValidator(_postgres_url)]
RedisUrl = Annotated[str, AfterValidator(_redis_url)]
AbsolutePath = Annotated[Path, AfterValidator(Path.absolute)]


class Settings(BaseSettings):
    """The service's settings; an unset or empty variable takes its default.

    `DATABASE_URL`, `DATABASE_OWNER_URL` and `REDIS_URL` have no prefix; every other field is `ANTEDATE_` and its
    name. A server whose URL is absent is the embedded one. URLs may hold passwords and are never shown.
    """

    model_config = SettingsConfigDict(env_prefix="ANTEDATE_", env_ignore_empty=True, frozen=True, extra="forbid")

    # An alias equal to the name is what keeps the prefix away from these three.
    database_url: PostgresUrl | None = Field(
        default=None,
        validation_alias="database_url",
        repr=False,
        description="URL of the application role's Postgres database; absent: the embedded Postgres",
    )
    database_owner_url: PostgresUrl | None = Field(
        default=None,
        validation_alias="database_owner_url",
        repr=False,
        description="URL of the same database for the role that owns it, used by migrations alone",
    )
    redis_url: RedisUrl | None = Field(
        default=None,
        validation_alias="redis_url",
        repr=False,
        description="URL of the Redis or Valkey that carries the queues; absent: the embedded Valkey",
    )
    data: AbsolutePath = Field(
        default=Path(".antedate"),
        validate_default=True,
        description="directory of the embedded servers' data, the logs and the secrets",
    )
    host: str = Field(default="127.0.0.1", description="address that the API listens on")
    port: int = Field(default=8000, ge=1, le=65535, description="port that the API tries first, 1 to 65535")
    model_root: Annotated[DirectoryPath, AfterValidator(Path.resolve)] | None = Field(
        default=None,
        description="existing directory under which claims find their `local` models; absent: such claims are refused",
    )
    signing_key_file: AbsolutePath | None = Field(
        default=None,
        description="file of the log's Ed25519 key; absent: secrets/signing.key of the data directory",
    )
    log_name: str = Field(
        default="local",
        pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$",
        description="name of the log in its checkpoints, at most 64 of a-z, 0-9, '.', '_' and '-'",
    )
    checkpoint_file: AbsolutePath | None = Field(
        default=None,
        description="file that keeps every checkpoint outside the database; absent: checkpoints.jsonl in the data "
        "directory",
    )
    worker_concurrency: int = Field(
        default_factory=_cores,
        ge=1,
        le=1024,
        description="measuring processes of one worker, 1 to 1024; absent: one for each core",
    )
    lease_seconds: int = Field(
        default=60,
        ge=1,
        le=86400,
        description="seconds that a worker may be silent before its shard is given to another, 1 to 86400",
    )
    overdue_hours: int = Field(
        default=72,
        ge=1,
        le=87600,
        description="hours that a claim may wait, once it can be opened, before it is listed as overdue, 1 to 87600",
    )

    patch_memory_mb: int = Field(
        default=1024,
        ge=1,
        le=1_000_000,
        description="mebibytes that patches which a process runs together may take, 1 to 1,000,000; fewer are slower",
    )

    timestamp_url: HttpUrl | None = Field(
        default=None,
        description="URL of an RFC 3161 timestamp authority that the light worker asks; absent: none is asked",
    )
    timestamp_roots: FilePath | None = Field(
        default=None,
        validate_default=True,
        description="PEM file of the root certificates that this authority is trusted under",
    )
    witnesses: FilePath | None = Field(
        default=None,
        description="file of the witnesses, one a line: verifier key, and URL where it is asked; absent: none",
    )
    beacon_url: HttpUrl | None = Field(
        default=None,
        description="URL of a drand relay that the light worker asks for rounds; absent: no beacon is mixed in",
    )
    beacon_chain: str = Field(
        default=MAINNET.hash,
        pattern=r"^[0-9a-f]{64}$",
        description="hash of the drand chain, 64 hex digits; absent: the League of Entropy's default chain",
    )
    beacon_wait_seconds: int = Field(
        default=120,
        ge=0,
        le=3600,
        description="seconds that a run waits, from when it is queued, for its anchor and its round, 0 to 3600",
    )

    @field_validator("timestamp_roots")
    @classmethod
    def _trusted_under(cls, roots: Path | None, info: ValidationInfo) -> Path | None:
        if roots is None and info.data.get("timestamp_url") is not None:
            raise ValueError("an authority is trusted under roots alone, and there is a URL of one")
        return roots

    @property
    def signing_key(self) -> Path:
        return self.signing_key_file or self.data / "secrets" / "signing.key"

    @property
    def checkpoints(self) -> Path:
        return self.checkpoint_file or self.data / "checkpoints.jsonl"


def broker_url(redis_url: str) -> str:
    """The form Celery takes of a URL that redis-py takes: it names unix sockets differently.

    Over TLS it is told to check the broker's certificate, which Celery would leave out, unless the URL says how.
    """
    if redis_url.startswith("unix://"):
        return redis_url.replace("unix://", "redis+socket://", 1)
    if redis_url.startswith("rediss://") and "ssl_cert_reqs=" not in redis_url:
        return f"{redis_url}{'&' if '?' in redis_url else '?'}ssl_cert_reqs=CERT_REQUIRED"
    return redis_url


def variable(field: str) -> str:
    """The environment variable of a field of Settings."""
    prefix = "" if Settings.model_fields[field].validation_alias else "ANTEDATE_"
    return prefix + field.upper()


def read_settings() -> Settings:
    """The settings of this process's environment.

    Raises SettingsError naming every variable that cannot be used, never with the value of a URL.
    """
    try:
        return Settings()
    except ValidationError as error:
        flaws = [_sentence(str(flaw["loc"][0]), flaw["msg"], flaw["input"]) for flaw in error.errors()]
    raise SettingsError("\n".join(flaws))


def _sentence(field: str, message: str, given: object) -> str:
    shown = f"={given}" if Settings.model_fields[field].repr else ""
    reason = message.removeprefix("Value error, ")
    return f"{variable(field)}{shown} cannot be used: {reason}. It is the {Settings.model_fields[field].description}."
