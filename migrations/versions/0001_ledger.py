"""The log, its projections, the secrets kept apart from it, and the work queue.

Read by hand. The words in the CHECKs stand here as they were when this migration was written.
"""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
SHA256 = "~ '^[0-9a-f]{64}$'"
READ_AND_ADD = ("entries", "blobs", "blob_chunks", "registrants", "idempotent_requests", "nonces", "receipts")
PROJECTIONS = ("claims", "hypotheses", "links", "datasets", "evidence")
QUEUE = ("runs", "shards")

IMMUTABLE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: the log is append-only', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation',
              HINT = 'Append an entry that corrects or supersedes the earlier one.';
END
$$
"""
# ALWAYS: a session that calls itself a replica skips ordinary triggers. The statement-level one also refuses a
# change that would touch no row, and TRUNCATE, which no row-level trigger sees.
TRIGGERS = (
    "CREATE TRIGGER entries_keep_rows BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change()",
    """CREATE TRIGGER entries_keep_all BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
    "ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_keep_rows",
    "ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_keep_all",
)
SEARCH = (
    "setweight(to_tsvector('english'::regconfig, coalesce(registration ->> 'title', '')), 'A') || "
    "setweight(to_tsvector('english'::regconfig, coalesce(registration ->> 'statement', '')), 'B') || "
    "setweight(to_tsvector('english'::regconfig, coalesce(registration ->> 'rationale', '')), 'C')"
)


def upgrade() -> None:
    create_log()
    create_registrants()
    create_secrets()
    create_claims()
    create_links_and_datasets()
    create_queue()
    create_evidence()
    op.execute(IMMUTABLE)
    for statement in TRIGGERS:
        op.execute(statement)
    grant(context.config.attributes["app_role"])


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=nullable)


def create_log() -> None:
    op.create_table(
        "entries",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        text("type"),
        text("claim", nullable=True),
        text("actor"),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("payload", JSONB(), nullable=False),
        sa.Column("canonical", sa.LargeBinary(), nullable=False),
        sa.Column("leaf_hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_entries"),
        sa.CheckConstraint("seq >= 0", name="seq"),
        sa.CheckConstraint(
            "type IN ('registered', 'unsealed', 'forecast', 'opened', 'run_ended', 'evidence_recorded', 'refused',"
            " 'adjudicated', 'voided', 'superseded', 'corrected', 'contradicted', 'withdrawn', 'reproduced',"
            " 'contested', 'imported', 'noted')",
            name="type",
        ),
        sa.CheckConstraint(r"leaf_hash = sha256('\x00'::bytea || canonical)", name="leaf_hash"),
    )
    op.create_index("ix_entries_claim_seq", "entries", ["claim", "seq"])
    op.create_table(
        "blobs",
        text("sha256"),
        sa.Column("size", sa.BigInteger(), nullable=False),
        text("media_type"),
        sa.PrimaryKeyConstraint("sha256", name="pk_blobs"),
        sa.CheckConstraint(f"sha256 {SHA256}", name="sha256"),
        sa.CheckConstraint("size >= 0", name="size"),
    )
    op.create_table(
        "blob_chunks",
        text("sha256"),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", "index", name="pk_blob_chunks"),
        sa.ForeignKeyConstraint(["sha256"], ["blobs.sha256"], name="fk_blob_chunks_sha256_blobs"),
        sa.CheckConstraint("index >= 0", name="index"),
    )


def create_registrants() -> None:
    op.create_table(
        "registrants",
        text("id"),
        text("name"),
        sa.Column("created", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_registrants"),
        sa.CheckConstraint("id ~ '^[a-z0-9-]{1,64}$'", name="id"),
    )
    op.create_table(
        "api_keys",
        text("sha256"),
        text("prefix"),
        text("registrant"),
        sa.Column("scopes", ARRAY(sa.Text()), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("revoked", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("sha256", name="pk_api_keys"),
        sa.ForeignKeyConstraint(["registrant"], ["registrants.id"], name="fk_api_keys_registrant_registrants"),
        sa.CheckConstraint(f"sha256 {SHA256}", name="sha256"),
    )
    op.create_index("ix_api_keys_registrant", "api_keys", ["registrant"])
    op.create_table(
        "idempotent_requests",
        text("registrant"),
        text("key"),
        text("request_sha256"),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("registrant", "key", name="pk_idempotent_requests"),
        sa.ForeignKeyConstraint(
            ["registrant"], ["registrants.id"], name="fk_idempotent_requests_registrant_registrants"
        ),
    )


def create_secrets() -> None:
    op.create_table(
        "nonces",
        text("run"),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run", name="pk_nonces"),
        sa.CheckConstraint("octet_length(nonce) = 32", name="nonce"),
    )
    op.create_table(
        "receipts",
        text("claim"),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("claim", name="pk_receipts"),
    )


def create_claims() -> None:
    op.create_table(
        "claims",
        text("id"),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        text("document_sha256"),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("registration", JSONB(), nullable=False),
        text("registrant"),
        text("title"),
        text("statement"),
        text("instrument"),
        text("model"),
        sa.Column("metrics", ARRAY(sa.Text()), nullable=False),
        text("reproduces", nullable=True),
        text("precedence"),
        text("trust"),
        text("status"),
        text("run", nullable=True),
        text("superseded_by", nullable=True),
        sa.Column("contested", sa.Boolean(), nullable=False),
        sa.Column("undermines", sa.Boolean(), nullable=False),
        sa.Column("filed", MOMENT, nullable=False),
        sa.Column("opened", MOMENT, nullable=True),
        sa.Column("judged", MOMENT, nullable=True),
        sa.Column("withdrawn", MOMENT, nullable=True),
        sa.Column("search", TSVECTOR(), sa.Computed(SEARCH, persisted=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
        sa.UniqueConstraint("seq", name="uq_claims_seq"),
        sa.CheckConstraint(
            "status IN ('registered', 'running', 'confirmed', 'refuted', 'inconclusive', 'void', 'withdrawn')",
            name="status",
        ),
        sa.CheckConstraint(f"document_sha256 {SHA256}", name="document_sha256"),
    )
    op.create_table(
        "hypotheses",
        text("claim"),
        text("id"),
        sa.Column("position", sa.Integer(), nullable=False),
        text("metric"),
        sa.Column("primary", sa.Boolean(), nullable=False),
        sa.Column("estimate", sa.Float(), nullable=True),
        sa.Column("lo", sa.Float(), nullable=True),
        sa.Column("hi", sa.Float(), nullable=True),
        sa.Column("level", sa.Float(), nullable=True),
        text("outcome", nullable=True),
        text("void_reason", nullable=True),
        sa.PrimaryKeyConstraint("claim", "id", name="pk_hypotheses"),
        sa.ForeignKeyConstraint(["claim"], ["claims.id"], name="fk_hypotheses_claim_claims"),
    )
    index_claims()


def index_claims() -> None:
    # A reproduction is the same document filed again, by a claim of its own.
    op.create_index(
        "uq_claims_document_sha256",
        "claims",
        ["document_sha256"],
        unique=True,
        postgresql_where=sa.text("reproduces IS NULL"),
    )
    op.create_index("ix_claims_metrics", "claims", ["metrics"], postgresql_using="gin")
    op.create_index("ix_claims_search", "claims", ["search"], postgresql_using="gin")
    op.create_index("ix_claims_status_seq", "claims", ["status", "seq"])
    op.create_index(
        "ix_claims_superseded_seq", "claims", ["seq"], postgresql_where=sa.text("superseded_by IS NOT NULL")
    )
    op.create_index("ix_claims_contested_seq", "claims", ["seq"], postgresql_where=sa.text("contested"))
    for column in ("registrant", "instrument", "model", "reproduces"):
        op.create_index(f"ix_claims_{column}", "claims", [column])


def create_links_and_datasets() -> None:
    op.create_table(
        "links",
        text("source"),
        text("type"),
        text("target"),
        text("reason"),
        text("actor"),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("source", "type", "target", name="pk_links"),
        sa.ForeignKeyConstraint(["source"], ["claims.id"], name="fk_links_source_claims"),
        sa.ForeignKeyConstraint(["target"], ["claims.id"], name="fk_links_target_claims"),
        sa.CheckConstraint("type IN ('builds_on', 'supersedes', 'reproduces')", name="type"),
        sa.CheckConstraint("source <> target", name="not_itself"),
    )
    op.create_index("ix_links_target", "links", ["target"])
    op.create_table(
        "datasets",
        text("sha256"),
        text("name"),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("dimensions", JSONB(), nullable=False),
        sa.Column("clusters", sa.Integer(), nullable=False),
        sa.Column("uploaded", MOMENT, nullable=False),
        text("registrant"),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_datasets"),
        sa.ForeignKeyConstraint(["sha256"], ["blobs.sha256"], name="fk_datasets_sha256_blobs"),
        sa.CheckConstraint(f"sha256 {SHA256}", name="sha256"),
    )


def create_queue() -> None:
    op.create_table(
        "runs",
        text("id"),
        text("claim"),
        sa.Column("number", sa.Integer(), nullable=False),
        text("status"),
        sa.Column("queued", MOMENT, nullable=False),
        sa.Column("opened", MOMENT, nullable=True),
        sa.Column("ended", MOMENT, nullable=True),
        sa.Column("joins", sa.Integer(), nullable=False),
        text("failure", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.ForeignKeyConstraint(["claim"], ["claims.id"], name="fk_runs_claim_claims"),
        sa.UniqueConstraint("claim", "number", name="uq_runs_claim_number"),
        sa.CheckConstraint("status IN ('queued', 'running', 'ended', 'voided', 'cancelled')", name="status"),
        sa.CheckConstraint("number >= 1", name="number"),
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    create_shards()


def create_shards() -> None:
    op.create_table(
        "shards",
        text("run"),
        sa.Column("index", sa.Integer(), nullable=False),
        text("queue"),
        text("label"),
        sa.Column("params", JSONB(), nullable=False),
        text("status"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.Integer(), nullable=False),
        text("worker", nullable=True),
        sa.Column("source", JSONB(), nullable=True),
        sa.Column("relayed", MOMENT, nullable=True),
        sa.Column("lease_until", MOMENT, nullable=True),
        sa.Column("rows_done", sa.Integer(), nullable=False),
        sa.Column("rows_total", sa.Integer(), nullable=False),
        sa.Column("started", MOMENT, nullable=True),
        sa.Column("finished", MOMENT, nullable=True),
        text("rows_sha256", nullable=True),
        sa.Column("facts", JSONB(), nullable=True),
        text("failure", nullable=True),
        sa.PrimaryKeyConstraint("run", "index", name="pk_shards"),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_shards_run_runs"),
        sa.ForeignKeyConstraint(["rows_sha256"], ["blobs.sha256"], name="fk_shards_rows_sha256_blobs"),
        sa.CheckConstraint("status IN ('queued', 'leased', 'done')", name="status"),
        sa.CheckConstraint("queue IN ('cpu', 'gpu')", name="queue"),
        sa.CheckConstraint("(status = 'leased') = (lease_until IS NOT NULL)", name="leased"),
        sa.CheckConstraint("(status = 'done') = (rows_sha256 IS NOT NULL)", name="done"),
        sa.CheckConstraint("attempts >= 0 AND token >= attempts", name="attempts"),
        sa.CheckConstraint("rows_done >= 0", name="rows_done"),
    )
    op.create_index("ix_shards_lease_until", "shards", ["lease_until"], postgresql_where=sa.text("status = 'leased'"))
    op.create_index("ix_shards_queued", "shards", ["relayed"], postgresql_where=sa.text("status = 'queued'"))


def create_evidence() -> None:
    op.create_table(
        "evidence",
        text("run"),
        text("claim"),
        text("sha256"),
        text("rows_sha256"),
        sa.Column("body", JSONB(), nullable=False),
        text("commit"),
        text("dirty"),
        text("model"),
        text("dataset"),
        text("instrument"),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run", name="pk_evidence"),
        sa.ForeignKeyConstraint(["claim"], ["claims.id"], name="fk_evidence_claim_claims"),
        sa.ForeignKeyConstraint(["rows_sha256"], ["blobs.sha256"], name="fk_evidence_rows_sha256_blobs"),
        sa.CheckConstraint(f"sha256 {SHA256}", name="sha256"),
    )
    op.create_index("ix_evidence_claim", "evidence", ["claim"])
    op.create_index("ix_evidence_model", "evidence", ["model"])


def grant(role: str) -> None:
    """The application may read and add to the log and the blobs, and change only what is not the truth."""
    to = op.get_bind().dialect.identifier_preparer.quote(role)
    # Default privileges of the database may have given more than this when the tables were created.
    op.execute(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {to}")
    op.execute(f"GRANT USAGE ON SCHEMA public TO {to}")
    op.execute(f"GRANT SELECT ON alembic_version TO {to}")
    op.execute(f"GRANT SELECT, INSERT ON {', '.join(READ_AND_ADD)} TO {to}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON {', '.join((*PROJECTIONS, *QUEUE))} TO {to}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (revoked) ON api_keys TO {to}")
