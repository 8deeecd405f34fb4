"""What claims are counted by, stored beside the document, and the index by which a claim's families are found.

Read by hand. Postgres computes the columns, for the claims so far as well, by rewriting the table: one statement, so
that it is rewritten once. Whoever reads or files waits meanwhile.
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ADD = """
ALTER TABLE claims
ADD COLUMN weights text NOT NULL GENERATED ALWAYS AS (
    coalesce(
        registration #>> '{subject,model,weights_sha256}',
        model || '@' || (registration #>> '{subject,model,revision}'),
        model
    )
) STORED,
ADD COLUMN dataset text NOT NULL GENERATED ALWAYS AS (
    coalesce(registration #>> '{subject,dataset,sha256}', registration #>> '{subject,dataset,generator}')
) STORED,
ADD COLUMN probability double precision GENERATED ALWAYS AS ((registration ->> 'probability')::double precision) STORED,
ADD COLUMN forecast_hours integer NOT NULL GENERATED ALWAYS AS (
    coalesce((registration ->> 'forecast_hours')::integer, 0)
) STORED
"""


def upgrade() -> None:
    op.execute(ADD)
    op.create_index("ix_claims_family", "claims", ["weights", "dataset", "instrument", "seq"])
