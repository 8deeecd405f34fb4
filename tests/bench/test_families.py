"""Counting attempts, overdue claims and stated probabilities: by stored columns, and by reading the documents.

Both are the same queries. What reads the documents finds, under the name `claims`, a table whose columns are taken from
each document when they are asked for.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

sys.path.insert(0, str(Path(__file__).parent))
import ledger_of

from app.ledger import overdue, queries
from app.ledger.calibration import calibrated
from app.ledger.database import Ledger
from app.ledger.families import families, numbers
from app.ledger.migrate import APP_ROLE, upgrade
from app.ledger.tables import ClaimRow

HOURS = 72
COMPUTED = ("weights", "dataset", "probability", "forecast_hours")
# Of ten claims two are on one organism, two on a hundred commits, five on three thousand directories, one on a tiny
# model; of each kind one in ten, or so, waits, and one in three is about uploaded pairs.
CLAIMS = """
INSERT INTO claims (id, seq, document_sha256, document, registration, registrant, title, statement, instrument, model,
    metrics, precedence, trust, status, contested, undermines, filed)
SELECT 'filed' || lpad(n::text, 11, '0'), n, encode(sha256(n::text::bytea), 'hex'), document,
    jsonb_set(registration, '{subject}', jsonb_build_object('model', made.model, 'dataset',
        CASE WHEN n % 3 = 0 THEN jsonb_build_object('kind', 'pairs', 'name', 'P', 'sha256', repeat('d', 64),
            'dimensions', jsonb_build_array('safety')) ELSE registration #> '{subject,dataset}' END))
    || CASE WHEN n % 4 = 0 THEN jsonb_build_object('probability', n % 11 / 10.0) ELSE '{}' END
    || CASE WHEN n % 7 = 0 THEN jsonb_build_object('forecast_hours', n % 96) ELSE '{}' END,
    registrant, title, statement, instrument,
    CASE made.model ->> 'kind' WHEN 'huggingface' THEN made.model ->> 'repo' WHEN 'tiny' THEN 'tiny:' || n % 50
        WHEN 'local' THEN 'local:' || (made.model ->> 'directory') ELSE claims.model END,
    metrics, precedence, trust, CASE WHEN n % 11 = 0 THEN 'registered' ELSE 'confirmed' END, false, false,
    now() - n % 200 * interval '1 hour'
FROM claims, generate_series(1, %(size)s) n, LATERAL (SELECT CASE
    WHEN n % 10 < 2 THEN registration #> '{subject,model}'
    WHEN n % 10 < 4 THEN jsonb_build_object('kind', 'huggingface', 'repo', 'lab/r' || n % 100,
        'revision', repeat('a', 40))
    WHEN n % 10 < 9 THEN jsonb_build_object('kind', 'local', 'directory', 'd' || n % 3000,
        'weights_sha256', encode(sha256((n % 3000)::text::bytea), 'hex'))
    ELSE jsonb_build_object('kind', 'tiny', 'seed', n % 50) END AS model) made
"""
HYPOTHESES = """
INSERT INTO hypotheses (claim, id, position, metric, "primary", outcome)
SELECT c.id, h.id, h.position, h.metric, h.primary, CASE WHEN c.status = 'confirmed' THEN 'confirmed' END
FROM claims c, hypotheses h WHERE c.seq > 0
"""
EVIDENCE = """
INSERT INTO evidence (run, claim, sha256, rows_sha256, body, commit, dirty, model, dataset, instrument, seq)
SELECT id || '-1', id, document_sha256, document_sha256, '{}', 'c', 'clean',
    CASE registration #>> '{subject,model,kind}' WHEN 'huggingface' THEN encode(sha256(substr(model, 6)::bytea), 'hex')
    WHEN 'local' THEN registration #>> '{subject,model,weights_sha256}' ELSE model END, 'd', instrument, seq
FROM claims WHERE seq > 0 AND status = 'confirmed'
"""


def fill(connection, size):
    """One ordinary claim with a document of 4 KB, and `size` more that have its document but for what is counted."""
    ledger_of.fill(connection, 1)
    with connection.transaction():
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(CLAIMS.replace("%(size)s", str(size)))
        connection.execute(HYPOTHESES)
        connection.execute(EVIDENCE)


def from_the_documents(connection):
    """The same claims once more, as they were before the migration: what is counted by is computed when it is read."""
    plain = ", ".join(column.name for column in ClaimRow.__table__.columns if column.name not in COMPUTED)
    dropped = ", ".join(f"DROP COLUMN {name}" for name in COMPUTED)
    added = ", ".join(
        f"ADD COLUMN {column.name} {column.type} GENERATED ALWAYS AS ({column.computed.sqltext}) VIRTUAL"
        for column in ClaimRow.__table__.columns
        if column.name in COMPUTED
    )
    connection.execute("CREATE SCHEMA documents CREATE TABLE claims (LIKE public.claims INCLUDING INDEXES)")
    connection.execute(f"ALTER TABLE documents.claims {dropped}")
    connection.execute(f"ALTER TABLE documents.claims {added}")
    connection.execute(f"INSERT INTO documents.claims ({plain}) SELECT {plain} FROM public.claims")
    connection.execute(f"GRANT USAGE ON SCHEMA documents TO {APP_ROLE}")
    connection.execute(f"GRANT SELECT ON documents.claims TO {APP_ROLE}")
    connection.execute("VACUUM ANALYZE")


@pytest.fixture(scope="module")
def ways(postgres, pytestconfig):
    """`stored(work)` and `read(work)`: what `work(session)` answers either way."""
    with postgres.database("families") as urls:
        upgrade(urls.database_owner_url)
        with postgres.superuser("families") as connection:
            fill(connection, 100_000 if pytestconfig.getoption("--full") else 400)
            from_the_documents(connection)
        ledger = Ledger(urls.database_url)

        def answered(work, path):
            with ledger.begin() as session:
                session.execute(text(f"SET LOCAL search_path = {path}"))
                return work(session)

        yield SimpleNamespace(
            stored=lambda work: answered(work, "public"), read=lambda work: answered(work, "documents, public")
        )
        ledger.dispose()


def page(session):
    """A page of the list, each claim with its number and whether it is overdue."""
    claims = [one.id for one in queries.list_claims(session, limit=50).items]
    return claims, numbers(session, claims), overdue.among(session, claims, HOURS)


def probabilities(session):
    found = calibrated(session)
    return found.stated.decided, found.stated.bins, found.post_hoc, found.unstated, found.reproductions


ASKED = {
    "the families of a claim on an organism": lambda session: families(session, "filed00000000001", HOURS),
    "the families of a claim on a commit": lambda session: families(session, "filed00000000002", HOURS),
    "the families of a claim on a directory": lambda session: families(session, "filed00000000004", HOURS),
    "a page of 50": page,
    "calibration": probabilities,
    "how many are overdue": lambda session: overdue.count(session, HOURS),
}


@pytest.mark.parametrize("asked", ASKED)
def test_stored_columns_say_what_the_documents_say(ways, side_by_side, asked):
    work = ASKED[asked]
    found = side_by_side(lambda: ways.stored(work), lambda: ways.read(work), ("stored", "documents"))
    assert found.ours == found.theirs
    assert found.ours


def test_every_stored_column_is_what_its_document_says(ways):
    """Of every kind of document: the migration computes by the expressions of `app.ledger.tables`."""
    columns = ", ".join(COMPUTED)
    query = text(f"SELECT id, {columns} FROM claims ORDER BY id")
    stored = ways.stored(lambda session: session.execute(query).all())
    assert stored == ways.read(lambda session: session.execute(query).all())
    by_column = [set(values) for values in zip(*(row[1:] for row in stored), strict=True)]
    assert all(len(values) > 1 for values in by_column)
