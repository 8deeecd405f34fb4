"""The tree over the log, its signed heads and what others say of them; imported records; what links add to a claim.

Read by hand. Tree nodes of the entries so far are not made here: their hashes need SHA-256 over pairs, level by level,
which `grow_tree` does in one statement a level. New columns have constant defaults, so no table is rewritten.
"""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
READ_AND_ADD = ("nodes", "checkpoints", "anchors")
GROW_LEVEL = r"""
INSERT INTO nodes (level, index, hash)
SELECT {level}, l.index / 2, sha256('\x01'::bytea || l.hash || r.hash)
FROM ({below}) l JOIN ({below}) r ON r.index = l.index + 1
WHERE l.index % 2 = 0
"""
LEAVES = "SELECT seq AS index, leaf_hash AS hash FROM entries"
INNER = "SELECT index, hash FROM nodes WHERE level = {level}"


def upgrade() -> None:
    create_tree()
    create_anchors()
    create_imports()
    op.add_column("claims", sa.Column("reproduced", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("claims", sa.Column("corrected", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.drop_constraint(op.f("ck_links_type"), "links", type_="check")
    op.create_check_constraint("type", "links", "type IN ('builds_on', 'supersedes', 'reproduces', 'contradicts')")
    grow_tree()
    for table in READ_AND_ADD:
        keep(table)
    grant(context.config.attributes["app_role"])


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=nullable)


def create_tree() -> None:
    op.create_table(
        "nodes",
        sa.Column("level", sa.SmallInteger(), nullable=False),
        sa.Column("index", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "index", name="pk_nodes"),
        sa.CheckConstraint("level >= 1", name="level"),
        sa.CheckConstraint("index >= 0", name="index"),
        sa.CheckConstraint("octet_length(hash) = 32", name="hash"),
    )
    op.create_table(
        "checkpoints",
        sa.Column("size", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        text("note"),
        sa.Column("time", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("size", name="pk_checkpoints"),
        sa.CheckConstraint("size >= 1", name="size"),
        sa.CheckConstraint("octet_length(root) = 32", name="root"),
    )


def create_anchors() -> None:
    op.create_table(
        "anchors",
        sa.Column("size", sa.BigInteger(), nullable=False),
        text("kind"),
        text("name"),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("received", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("size", "kind", "name", name="pk_anchors"),
        sa.ForeignKeyConstraint(["size"], ["checkpoints.size"], name="fk_anchors_size_checkpoints"),
        sa.CheckConstraint("kind IN ('witness', 'timestamp')", name="kind"),
    )


def create_imports() -> None:
    op.create_table(
        "imports",
        text("id"),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        text("document_sha256"),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("record", JSONB(), nullable=False),
        text("registrant"),
        text("title"),
        text("statement"),
        text("outcome"),
        text("model"),
        text("instrument", nullable=True),
        text("commit", nullable=True),
        text("dirty", nullable=True),
        text("published", nullable=True),
        sa.Column("imported", MOMENT, nullable=False),
        text("superseded_by", nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
        sa.UniqueConstraint("seq", name="uq_imports_seq"),
        sa.UniqueConstraint("document_sha256", name="uq_imports_document_sha256"),
        sa.CheckConstraint("document_sha256 ~ '^[0-9a-f]{64}$'", name="document_sha256"),
    )


def grow_tree() -> None:
    """Every node over the entries that there are; a level is half of the one below it."""
    connection = op.get_bind()
    level, below = 1, LEAVES
    while connection.execute(sa.text(GROW_LEVEL.format(level=level, below=below))).rowcount:
        level, below = level + 1, INNER.format(level=level)


def keep(table: str) -> None:
    """Refuse changes as those of `entries` are refused."""
    op.execute(
        f"CREATE TRIGGER {table}_keep_rows BEFORE UPDATE OR DELETE ON {table}"
        " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        f"CREATE TRIGGER {table}_keep_all BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    for trigger in ("rows", "all"):
        op.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_keep_{trigger}")


def grant(role: str) -> None:
    to = op.get_bind().dialect.identifier_preparer.quote(role)
    op.execute(f"REVOKE ALL ON {', '.join((*READ_AND_ADD, 'imports'))} FROM {to}")
    op.execute(f"GRANT SELECT, INSERT ON {', '.join(READ_AND_ADD)} TO {to}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON imports TO {to}")
