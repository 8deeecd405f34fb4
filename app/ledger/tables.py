"""The tables. `entries` and `blobs` are the truth; what is marked a projection is rebuilt from them.

Table models do not validate: what may stand in a column is held by CHECKs in the migration and by the readers
in `claims`. Enumerations are text with a CHECK.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlmodel import Field, SQLModel

from claims.entries import ENTRY_TYPES
from claims.lifecycle import CLAIM_STATUSES

NAMING = {
    "ix": "ix_%(column_0_N_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
RUN_STATUSES = ("queued", "running", "ended", "voided", "cancelled")
SHARD_STATUSES = ("queued", "leased", "done")


class Base(SQLModel):
    metadata = MetaData(naming_convention=NAMING)


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def utc(*, nullable: bool = False, index: bool = False) -> Column[datetime]:
    return Column(DateTime(timezone=True), nullable=nullable, index=index)


class EntryRow(Base, table=True):
    """One event of the append-only log: `canonical` holds the bytes that `leaf_hash` is taken over."""

    __tablename__ = "entries"
    __table_args__ = (one_of("type", ENTRY_TYPES), CheckConstraint("seq >= 0", name="seq"))

    seq: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    type: str
    claim: str | None = Field(default=None, index=True)
    actor: str
    time: datetime = Field(sa_column=utc())
    payload: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    canonical: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    leaf_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Blob(Base, table=True):
    """Content-addressed bytes, held in chunks of 1 MiB."""

    __tablename__ = "blobs"

    sha256: str = Field(primary_key=True)
    size: int = Field(sa_column=Column(BigInteger, nullable=False))
    media_type: str


class BlobChunk(Base, table=True):
    __tablename__ = "blob_chunks"

    sha256: str = Field(foreign_key="blobs.sha256", primary_key=True)
    index: int = Field(primary_key=True)
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Registrant(Base, table=True):
    """Somebody who files. An operator's record, not part of the log: entries name the registrant by `id`."""

    __tablename__ = "registrants"

    id: str = Field(primary_key=True)
    name: str
    created: datetime = Field(sa_column=utc())


class ApiKey(Base, table=True):
    """A key, by the SHA-256 of its secret; `prefix` is what may be shown."""

    __tablename__ = "api_keys"

    sha256: str = Field(primary_key=True)
    prefix: str
    registrant: str = Field(foreign_key="registrants.id", index=True)
    scopes: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False))
    created: datetime = Field(sa_column=utc())
    revoked: datetime | None = Field(default=None, sa_column=utc(nullable=True))


class IdempotentRequest(Base, table=True):
    """The first answer to a request that carried an Idempotency-Key, per API key's registrant."""

    __tablename__ = "idempotent_requests"

    registrant: str = Field(foreign_key="registrants.id", primary_key=True)
    key: str = Field(primary_key=True)
    request_sha256: str
    status: int
    body: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    created: datetime = Field(sa_column=utc())


class Nonce(Base, table=True):
    """The secret drawn at filing; only its hash is in the log until the claim is opened."""

    __tablename__ = "nonces"

    claim: str = Field(primary_key=True)
    nonce: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class ClaimRow(Base, table=True):
    """Projection: a claim as the log tells it, with the columns that people filter and sort by."""

    __tablename__ = "claims"
    __table_args__ = (
        one_of("status", CLAIM_STATUSES),
        Index("uq_claims_document_sha256", "document_sha256", unique=True, postgresql_where="reproduces IS NULL"),
        Index("ix_claims_search", "search", postgresql_using="gin"),
        Index("ix_claims_registration", "registration", postgresql_using="gin", postgresql_ops={"registration": "jsonb_path_ops"}),
    )

    id: str = Field(primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False, unique=True))
    document_sha256: str
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    registration: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    receipt: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    registrant: str = Field(index=True)
    title: str
    instrument: str = Field(index=True)
    model: str = Field(index=True)
    metrics: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False))
    reproduces: str | None = Field(default=None, index=True)
    precedence: str
    trust: str
    status: str = Field(index=True)
    superseded: bool = Field(default=False, index=True)
    contested: bool = Field(default=False, index=True)
    filed: datetime = Field(sa_column=utc(index=True))
    opened: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    judged: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    search: str | None = Field(default=None, sa_column=Column(TSVECTOR, nullable=True))


class HypothesisRow(Base, table=True):
    """Projection: one hypothesis with what was adjudicated of it."""

    __tablename__ = "hypotheses"

    claim: str = Field(foreign_key="claims.id", primary_key=True)
    id: str = Field(primary_key=True)
    metric: str = Field(index=True)
    primary: bool
    estimate: float | None = None
    lo: float | None = None
    hi: float | None = None
    level: float | None = None
    outcome: str | None = Field(default=None, index=True)
    void_reason: str | None = None


class LinkRow(Base, table=True):
    """Projection: a typed link from one claim to another, with who drew it and why."""

    __tablename__ = "links"

    source: str = Field(primary_key=True)
    type: str = Field(primary_key=True)
    target: str = Field(primary_key=True, index=True)
    reason: str
    actor: str
    time: datetime = Field(sa_column=utc())
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))


class DatasetRow(Base, table=True):
    """Projection: an uploaded set of preference pairs; its normalised bytes are the blob of the same hash."""

    __tablename__ = "datasets"

    sha256: str = Field(primary_key=True)
    name: str
    pairs: int
    dimensions: dict[str, int] = Field(sa_column=Column(JSONB, nullable=False))
    clusters: int
    uploaded: datetime = Field(sa_column=utc())
    registrant: str
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))


class RunRow(Base, table=True):
    """One execution for a claim. Inserted with the filing (the outbox); `relayed` is when its tasks were last sent."""

    __tablename__ = "runs"
    __table_args__ = (one_of("status", RUN_STATUSES), UniqueConstraint("claim", "number"))

    id: str = Field(primary_key=True)
    claim: str = Field(foreign_key="claims.id", index=True)
    number: int
    queue: str
    status: str = Field(index=True)
    queued: datetime = Field(sa_column=utc())
    relayed: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    opened: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    ended: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    instrument_source_sha256: str | None = None
    provenance: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB, nullable=True))


class ShardRow(Base, table=True):
    """A part of a run, leased to one worker at a time. `token` fences: it rises with every lease, and only its
    holder may write. Evidence is joined from shards in order of `index`."""

    __tablename__ = "shards"
    __table_args__ = (one_of("status", SHARD_STATUSES),)

    run: str = Field(foreign_key="runs.id", primary_key=True)
    index: int = Field(primary_key=True)
    label: str
    params: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    status: str
    attempts: int = 0
    token: int = 0
    worker: str | None = None
    lease_until: datetime | None = Field(default=None, sa_column=utc(nullable=True, index=True))
    rows_done: int = 0
    rows_total: int
    started: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    finished: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    rows_sha256: str | None = Field(default=None, foreign_key="blobs.sha256")
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB, nullable=True))
    failure: str | None = None


class EvidenceRow(Base, table=True):
    """Projection: what one run found; unique per run."""

    __tablename__ = "evidence"

    run: str = Field(primary_key=True)
    claim: str = Field(foreign_key="claims.id", index=True)
    sha256: str
    rows_sha256: str = Field(foreign_key="blobs.sha256")
    body: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    commit: str
    dirty: str
    model: str | None = Field(default=None, index=True)
    dataset: str | None = Field(default=None, index=True)
    instrument: str
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
