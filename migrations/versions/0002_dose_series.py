"""The dose at which evidence belongs to the dose series that calibrates rankings.

Read by hand. Null for all evidence recorded so far: no recipe had a dose before, and no design took part in the series.
A column without a default is added without rewriting the table.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evidence", sa.Column("dose", sa.Float(), nullable=True))
    op.create_index("ix_evidence_dose", "evidence", ["seq"], postgresql_where=sa.text("dose IS NOT NULL"))
