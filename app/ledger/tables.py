"""The tables. `entries` and `blobs` are the truth; what is marked a projection is rebuilt from them.

Table models do not validate: what may stand in a column is held by CHECKs in the database and by the readers
in `claims`. Enumerations are text with a CHECK. Bodies that are answered again as they were first answered are JSON,
which keeps their spelling; JSONB would not. Secrets and the work queue are neither truth nor projection.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Text,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlmodel import Field, SQLModel

from claims.entries import ENTRY_TYPES
from claims.lifecycle import CLAIM_STATUSES

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
RUN_STATUSES = ("queued", "running", "ended", "voided", "cancelled")
SHARD_STATUSES = ("queued", "leased", "done")
QUEUES = ("cpu", "gpu")
LINK_TYPES = ("builds_on", "supersedes", "reproduces", "contradicts")
ANCHOR_KINDS = ("witness", "timestamp")
SEARCHED = " || ".join(
    f"setweight(to_tsvector('english'::regconfig, coalesce(registration ->> '{part}', '')), '{weight}')"
    for part, weight in (("title", "A"), ("statement", "B"), ("rationale", "C"))
)
WEIGHTS = (
    "coalesce(registration #>> '{subject,model,weights_sha256}',"
    " model || '@' || (registration #>> '{subject,model,revision}'), model)"
)
DATASET = "coalesce(registration #>> '{subject,dataset,sha256}', registration #>> '{subject,dataset,generator}')"
PROBABILITY = "(registration ->> 'probability')::double precision"
FORECAST_HOURS = "coalesce((registration ->> 'forecast_hours')::integer, 0)"


class Base(SQLModel):
    metadata = MetaData(naming_convention=NAMING)


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def hexed(column: str) -> CheckConstraint:
    return CheckConstraint(f"{column} ~ '^[0-9a-f]{{64}}$'", name=column)


def utc(*, nullable: bool = False) -> Column[datetime]:
    return Column(DateTime(timezone=True), nullable=nullable)


class EntryRow(Base, table=True):
    """One event of the append-only log: `canonical` holds the bytes that `leaf_hash` is taken over."""

    __tablename__ = "entries"
    __table_args__ = (
        one_of("type", ENTRY_TYPES),
        CheckConstraint("seq >= 0", name="seq"),
        CheckConstraint(r"leaf_hash = sha256('\x00'::bytea || canonical)", name="leaf_hash"),
        Index("ix_entries_claim_seq", "claim", "seq"),
    )

    seq: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    type: str
    claim: str | None = None
    actor: str
    time: datetime = Field(sa_column=utc())
    payload: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    canonical: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    leaf_hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class NodeRow(Base, table=True):
    """An inner node of the tree over the log: the hash of 2**level entries from `index` * 2**level on (RFC 6962).

    Level 0 is `entries.leaf_hash`. A node is stored once its last leaf is there, and never changes.
    """

    __tablename__ = "nodes"
    __table_args__ = (
        CheckConstraint("level >= 1", name="level"),
        CheckConstraint("index >= 0", name="index"),
        CheckConstraint("octet_length(hash) = 32", name="hash"),
    )

    level: int = Field(sa_column=Column(SmallInteger, primary_key=True, autoincrement=False))
    index: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class CheckpointRow(Base, table=True):
    """A signed head of the tree, as it was published: `note` is ours alone, without what others signed."""

    __tablename__ = "checkpoints"
    __table_args__ = (
        CheckConstraint("size >= 1", name="size"),
        CheckConstraint("octet_length(root) = 32", name="root"),
    )

    size: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    root: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    note: str
    time: datetime = Field(sa_column=utc())


class AnchorRow(Base, table=True):
    """What somebody outside says of a checkpoint: a witness's cosignature line, or a timestamp token.

    `time` is the time that it asserts, `received` ours.
    """

    __tablename__ = "anchors"
    __table_args__ = (one_of("kind", ANCHOR_KINDS),)

    size: int = Field(sa_column=Column(BigInteger, ForeignKey("checkpoints.size"), primary_key=True))
    kind: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    time: datetime = Field(sa_column=utc())
    received: datetime = Field(sa_column=utc())


class Blob(Base, table=True):
    """Content-addressed bytes, held in chunks of 1 MiB."""

    __tablename__ = "blobs"
    __table_args__ = (hexed("sha256"), CheckConstraint("size >= 0", name="size"))

    sha256: str = Field(primary_key=True)
    size: int = Field(sa_column=Column(BigInteger, nullable=False))
    media_type: str


class BlobChunk(Base, table=True):
    __tablename__ = "blob_chunks"
    __table_args__ = (CheckConstraint("index >= 0", name="index"),)

    sha256: str = Field(foreign_key="blobs.sha256", primary_key=True)
    index: int = Field(primary_key=True)
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Registrant(Base, table=True):
    """Somebody who files. An operator's record, not part of the log: entries name the registrant by `id`."""

    __tablename__ = "registrants"
    __table_args__ = (CheckConstraint("id ~ '^[a-z0-9-]{1,64}$'", name="id"),)

    id: str = Field(primary_key=True)
    name: str
    created: datetime = Field(sa_column=utc())


class ApiKey(Base, table=True):
    """A key, by the SHA-256 of its secret; `prefix` is what may be shown."""

    __tablename__ = "api_keys"
    __table_args__ = (hexed("sha256"),)

    sha256: str = Field(primary_key=True)
    prefix: str
    registrant: str = Field(foreign_key="registrants.id", index=True)
    scopes: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False))
    created: datetime = Field(sa_column=utc())
    revoked: datetime | None = Field(default=None, sa_column=utc(nullable=True))


class IdempotentRequest(Base, table=True):
    """The first answer to a request that carried an Idempotency-Key, by registrant."""

    __tablename__ = "idempotent_requests"

    registrant: str = Field(foreign_key="registrants.id", primary_key=True)
    key: str = Field(primary_key=True)
    request_sha256: str
    status: int
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created: datetime = Field(sa_column=utc())


class Nonce(Base, table=True):
    """The secret drawn at filing for a run; only its hash is in the log until the run is opened.

    Kept apart: no foreign key ties it to a projection.
    """

    __tablename__ = "nonces"
    __table_args__ = (CheckConstraint("octet_length(nonce) = 32", name="nonce"),)

    run: str = Field(primary_key=True)
    nonce: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Receipt(Base, table=True):
    """The receipt as it was first handed out; a later signing key would sign it otherwise."""

    __tablename__ = "receipts"

    claim: str = Field(primary_key=True)
    body: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class ClaimRow(Base, table=True):
    """Projection: a claim as the log tells it, with the columns that people filter and sort by.

    `seq` is that of its `registered` entry. `undermines` says that claims built on this one are contested,
    `reproduced` that an independent reproduction is recorded, whatever it found.

    Postgres computes the last columns from the document, which it would otherwise read whole for every claim that is
    counted. `weights` is their hash where the document states it, else the name that leads to just these weights;
    `dataset` the content hash of uploaded pairs, whatever they are called, or the generator's name.
    """

    __tablename__ = "claims"
    __table_args__ = (
        one_of("status", CLAIM_STATUSES),
        hexed("document_sha256"),
        Index("uq_claims_document_sha256", "document_sha256", unique=True, postgresql_where=text("reproduces IS NULL")),
        Index("ix_claims_metrics", "metrics", postgresql_using="gin"),
        Index("ix_claims_search", "search", postgresql_using="gin"),
        Index("ix_claims_status_seq", "status", "seq"),
        Index("ix_claims_family", "weights", "dataset", "instrument", "seq"),
        Index("ix_claims_superseded_seq", "seq", postgresql_where=text("superseded_by IS NOT NULL")),
        Index("ix_claims_contested_seq", "seq", postgresql_where=text("contested")),
    )

    id: str = Field(primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False, unique=True))
    document_sha256: str
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    registration: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    registrant: str = Field(index=True)
    title: str
    statement: str
    instrument: str = Field(index=True)
    model: str = Field(index=True)
    metrics: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False))
    reproduces: str | None = Field(default=None, index=True)
    precedence: str
    trust: str
    status: str
    run: str | None = None
    superseded_by: str | None = None
    contested: bool = False
    undermines: bool = False
    reproduced: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    corrected: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    filed: datetime = Field(sa_column=utc())
    opened: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    judged: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    withdrawn: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    search: str | None = Field(default=None, sa_column=Column(TSVECTOR, Computed(SEARCHED, persisted=True)))
    weights: str = Field(sa_column=Column(Text, Computed(WEIGHTS, persisted=True), nullable=False))
    dataset: str = Field(sa_column=Column(Text, Computed(DATASET, persisted=True), nullable=False))
    probability: float | None = Field(default=None, sa_column=Column(Float, Computed(PROBABILITY, persisted=True)))
    forecast_hours: int = Field(sa_column=Column(Integer, Computed(FORECAST_HOURS, persisted=True), nullable=False))


class HypothesisRow(Base, table=True):
    """Projection: one hypothesis with what was adjudicated of it, in the registration's order (`position`)."""

    __tablename__ = "hypotheses"

    claim: str = Field(foreign_key="claims.id", primary_key=True)
    id: str = Field(primary_key=True)
    position: int
    metric: str
    primary: bool
    estimate: float | None = None
    lo: float | None = None
    hi: float | None = None
    level: float | None = None
    outcome: str | None = None
    void_reason: str | None = None


class LinkRow(Base, table=True):
    """Projection: a typed link from one claim to another, with who drew it and why."""

    __tablename__ = "links"
    __table_args__ = (one_of("type", LINK_TYPES), CheckConstraint("source <> target", name="not_itself"))

    source: str = Field(foreign_key="claims.id", primary_key=True)
    type: str = Field(primary_key=True)
    target: str = Field(foreign_key="claims.id", primary_key=True, index=True)
    reason: str
    actor: str
    time: datetime = Field(sa_column=utc())
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))


class ForecastRow(Base, table=True):
    """Projection: what somebody sealed of a claim before it opened, and, once revealed, what that was.

    `seq` and `time` are those of the sealing entry, `revealed_seq` and `revealed` those of the one that tells.
    """

    __tablename__ = "forecasts"
    __table_args__ = (
        hexed("sealed"),
        hexed("salt"),
        CheckConstraint("probability BETWEEN 0 AND 1", name="probability"),
        CheckConstraint("num_nonnulls(probability, salt, revealed, revealed_seq) IN (0, 4)", name="revealed_whole"),
    )

    claim: str = Field(foreign_key="claims.id", primary_key=True)
    registrant: str = Field(primary_key=True, index=True)
    sealed: str
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    time: datetime = Field(sa_column=utc())
    probability: float | None = None
    salt: str | None = None
    revealed: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    revealed_seq: int | None = Field(default=None, sa_column=Column(BigInteger, nullable=True))


class ImportRow(Base, table=True):
    """Projection: a published result on somebody's word. Never a claim: it was not measured here."""

    __tablename__ = "imports"
    __table_args__ = (hexed("document_sha256"),)

    id: str = Field(primary_key=True)
    seq: int = Field(sa_column=Column(BigInteger, nullable=False, unique=True))
    document_sha256: str = Field(unique=True)
    document: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    record: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    registrant: str
    title: str
    statement: str
    outcome: str
    model: str
    instrument: str | None = None
    commit: str | None = None
    dirty: str | None = None
    published: str | None = None
    imported: datetime = Field(sa_column=utc())
    superseded_by: str | None = None


class DatasetRow(Base, table=True):
    """Projection: an uploaded set of preference pairs; its canonical bytes are the blob of the same hash."""

    __tablename__ = "datasets"
    __table_args__ = (hexed("sha256"),)

    sha256: str = Field(foreign_key="blobs.sha256", primary_key=True)
    name: str
    pairs: int
    dimensions: dict[str, int] = Field(sa_column=Column(JSONB, nullable=False))
    clusters: int
    uploaded: datetime = Field(sa_column=utc())
    registrant: str
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))


class RunRow(Base, table=True):
    """Projection: one execution of an instrument for a claim, queued with the filing in the same transaction.

    `joins` and `failure` are the work queue's: how often the finished shards were taken up to be judged, and what
    went wrong last.
    """

    __tablename__ = "runs"
    __table_args__ = (
        one_of("status", RUN_STATUSES),
        CheckConstraint("number >= 1", name="number"),
        UniqueConstraint("claim", "number"),
    )

    id: str = Field(primary_key=True)
    claim: str = Field(foreign_key="claims.id")
    number: int
    status: str = Field(index=True)
    queued: datetime = Field(sa_column=utc())
    opened: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    ended: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    joins: int = 0
    failure: str | None = None


class ShardRow(Base, table=True):
    """The work queue: a part of a run, leased to one worker at a time.

    `token` fences: it rises with every lease, and only its holder may write. `source` is the code of the latest
    lease (`claims.provenance`). `relayed` is when its message was last sent. Evidence joins shards by `index`.
    Nobody may lease it before `not_before`: until then its claim is forecast.
    """

    __tablename__ = "shards"
    __table_args__ = (
        one_of("status", SHARD_STATUSES),
        one_of("queue", QUEUES),
        CheckConstraint("(status = 'leased') = (lease_until IS NOT NULL)", name="leased"),
        CheckConstraint("(status = 'done') = (rows_sha256 IS NOT NULL)", name="done"),
        CheckConstraint("attempts >= 0 AND token >= attempts", name="attempts"),
        CheckConstraint("rows_done >= 0", name="rows_done"),
        Index("ix_shards_lease_until", "lease_until", postgresql_where=text("status = 'leased'")),
        Index("ix_shards_queued", "relayed", postgresql_where=text("status = 'queued'")),
    )

    run: str = Field(foreign_key="runs.id", primary_key=True)
    index: int = Field(primary_key=True)
    queue: str
    label: str
    params: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    status: str
    attempts: int = 0
    token: int = 0
    worker: str | None = None
    source: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB, nullable=True))
    not_before: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    relayed: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    lease_until: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    rows_done: int = 0
    rows_total: int
    started: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    finished: datetime | None = Field(default=None, sa_column=utc(nullable=True))
    rows_sha256: str | None = Field(default=None, foreign_key="blobs.sha256")
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSONB, nullable=True))
    failure: str | None = None


class EvidenceRow(Base, table=True):
    """Projection: what one run found; unique per run. `body` is the evidence whole, whatever its size in the log.

    `dose` is the one at which it belongs to the dose series (`claims.dose_series`), null for all other evidence.
    """

    __tablename__ = "evidence"
    __table_args__ = (
        hexed("sha256"),
        Index("ix_evidence_dose", "seq", postgresql_where=text("dose IS NOT NULL")),
    )

    run: str = Field(primary_key=True)
    claim: str = Field(foreign_key="claims.id", index=True)
    sha256: str
    rows_sha256: str = Field(foreign_key="blobs.sha256")
    body: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    commit: str
    dirty: str
    model: str = Field(index=True)
    dataset: str
    instrument: str
    seq: int = Field(sa_column=Column(BigInteger, nullable=False))
    dose: float | None = None
