"""Sealed forecasts of claims, and the time before which a claim's shards wait so that it can be forecast.

Read by hand. Null for every shard so far: no claim had such a time. A column without a default is added without
rewriting the table. The log so far has no `forecast` entry, so that the new table begins empty.
"""

import sqlalchemy as sa
from alembic import context, op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("shards", sa.Column("not_before", MOMENT, nullable=True))
    op.create_table(
        "forecasts",
        sa.Column("claim", sa.String(), nullable=False),
        sa.Column("registrant", sa.String(), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("probability", sa.Float(), nullable=True),
        sa.Column("salt", sa.String(), nullable=True),
        sa.Column("revealed", MOMENT, nullable=True),
        sa.Column("revealed_seq", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("claim", "registrant", name="pk_forecasts"),
        sa.ForeignKeyConstraint(["claim"], ["claims.id"], name="fk_forecasts_claim_claims"),
        sa.CheckConstraint("sealed ~ '^[0-9a-f]{64}$'", name="sealed"),
        sa.CheckConstraint("salt ~ '^[0-9a-f]{64}$'", name="salt"),
        sa.CheckConstraint("probability BETWEEN 0 AND 1", name="probability"),
        sa.CheckConstraint("num_nonnulls(probability, salt, revealed, revealed_seq) IN (0, 4)", name="revealed_whole"),
    )
    op.create_index("ix_forecasts_registrant", "forecasts", ["registrant"])
    grant(context.config.attributes["app_role"])


def grant(role: str) -> None:
    to = op.get_bind().dialect.identifier_preparer.quote(role)
    op.execute(f"REVOKE ALL ON forecasts FROM {to}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE ON forecasts TO {to}")
