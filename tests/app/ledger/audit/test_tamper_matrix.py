"""Every stored field changed, one at a time, by a superuser with the triggers off: the audit names each change.

`make faults` changes every field of every row; every other run of the tests a field of each column.
"""

import json
from collections import Counter

import pytest
from sqlalchemy import text

from app.ledger import checkpoints
from app.ledger.audit.heads import Leaves
from app.ledger.checkpoints import Issued
from app.ledger.signing import load_or_create
from app.ledger.tables import Base
from claims import checkpoint
from claims.canonical import canonical_bytes
from claims.checkpoint import Checkpoint
from claims.entries import leaf_hash

# What is no part of the ledger: who may write, what was answered, and the work queue, which the log does not hold.
APART = {"registrants", "api_keys", "idempotent_requests", "shards", "anchors"}
# Columns that the log says nothing of: the queue's own, what Postgres computes, what only a file outside may know.
SILENT = {
    ("runs", "joins"): "the queue's count of tries",
    ("runs", "failure"): "the queue's last failure",
    **{
        ("claims", column): "computed by Postgres from the registration"
        for column in ("search", "weights", "dataset", "probability", "forecast_hours")
    },
    ("blobs", "media_type"): "how bytes are called; the bytes are held by their hash",
}
CHANGES = {
    "text": ["{0} || 'x'", "upper({0})", "''"],
    "character varying": ["{0} || 'x'", "upper({0})", "''"],
    "bigint": ["{0} + 1000", "-{0} - 1"],
    "integer": ["{0} + 1000", "-{0} - 1"],
    "smallint": ["({0} + 100)::smallint"],
    "boolean": ["NOT {0}"],
    "double precision": ["{0} + 1e-9", "-{0} - 1"],
    "timestamp with time zone": ["{0} + interval '1 microsecond'"],
    "bytea": ["set_byte({0}, octet_length({0}) - 1, get_byte({0}, octet_length({0}) - 1) # 1)", "substr({0}, 2)"],
    "jsonb": ["jsonb_set({0}, '{{an_unknown_key}}', '1')", "'{{}}'::jsonb"],
    "json": ["jsonb_set({0}::jsonb, '{{note}}', '\"forged\"')::json", "'{{}}'::json"],
    "ARRAY": ["array_append({0}, 'x')", "'{{}}'"],
}
# A nonce that was revealed is in the log; the row is then of no use.
NEEDED = {"nonces": "WHERE run IN (SELECT id FROM runs WHERE status = 'queued')"}
WHEN_NULL = {
    "text": "'x'", "character varying": "'x'", "bigint": "1", "integer": "1", "boolean": "true",
    "double precision": "0.5", "timestamp with time zone": "now()", "bytea": "'x'::bytea", "jsonb": "'{}'",
}  # fmt: skip


def columns(session):
    query = (
        "SELECT table_name, column_name, data_type FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = ANY(:tables) ORDER BY table_name, ordinal_position"
    )
    tables = [table.name for table in Base.metadata.sorted_tables if table.name not in APART]
    found = session.execute(text(query), {"tables": tables}).all()
    return [(table, column, type_) for table, column, type_ in found if (table, column) not in SILENT]


def rows(session, table):
    return session.execute(text(f"SELECT ctid::text FROM {table} {NEEDED.get(table, '')}")).scalars().all()


def changes(session, table, column, type_, row):
    """Statements that each change this one field to something else, where that can be said of its value."""
    quoted = f'"{column}"'
    null = session.execute(text(f"SELECT {quoted} IS NULL FROM {table} WHERE ctid = :row"), {"row": row}).scalar_one()
    for value in [WHEN_NULL[type_]] if null else [change.format(quoted) for change in CHANGES[type_]]:
        differs = f"SELECT ({value})::text IS DISTINCT FROM {quoted}::text FROM {table} WHERE ctid = :row"
        if session.execute(text(differs), {"row": row}).scalar_one():
            yield f"UPDATE {table} SET {quoted} = {value} WHERE ctid = :row"


def test_every_field_that_is_changed_is_found(lived, full):
    tried, missed = Counter(), []
    with lived.tampering() as tampered:
        for table, column, type_ in columns(tampered.session):
            found = rows(tampered.session, table)
            assert found, f"{table} has a row to tamper with"
            for row in found if full else found[len(found) // 2 :][:1]:
                each = list(changes(tampered.session, table, column, type_, row))
                for statement in each if full else each[:1]:
                    tried[table] += 1
                    if tampered(statement, {"row": row}).count == 0:
                        missed.append((statement, row))
    print(f"\nfields changed: {dict(tried)}, {sum(tried.values())} in all; not found: {len(missed)}")
    assert missed == []


def test_every_row_that_is_removed_is_found(lived, full):
    tried, missed = Counter(), []
    with lived.tampering() as tampered:
        # A receipt may be lost: whoever filed has it, and the log has all that it says.
        for table in sorted({table for table, _, _ in columns(tampered.session)} - {"receipts"}):
            found = rows(tampered.session, table)
            for row in found if full else found[:1]:
                tried[table] += 1
                if tampered(f"DELETE FROM {table} WHERE ctid = :row", {"row": row}).count == 0:
                    missed.append((table, row))
    print(f"\nrows removed: {dict(tried)}, {sum(tried.values())} in all; not found: {len(missed)}")
    assert missed == []


@pytest.mark.parametrize("behind", range(1, 4))
def test_a_tail_that_is_cut_is_found(lived, behind):
    cut = f"DELETE FROM entries WHERE seq >= (SELECT max(seq) + 1 - {behind} FROM entries)"
    with lived.tampering() as tampered:
        assert any("tail was cut" in one.what for one in tampered(cut).findings)
        nodes = "DELETE FROM nodes WHERE ((index + 1) << level) > (SELECT max(seq) + 1 FROM entries)"
        heads = "DELETE FROM checkpoints WHERE size > (SELECT max(seq) + 1 FROM entries)"
        found = tampered(f"{cut}; {nodes}; {heads}").findings
        assert any(one.where.startswith("remembered checkpoint") and "tail was cut" in one.what for one in found)


def test_two_entries_that_are_swapped_are_found(lived, full):
    with lived.tampering() as tampered:
        size = tampered.session.execute(text("SELECT count(*) FROM entries")).scalar_one()
        for one in range(size - 1) if full else (size // 2,):
            swap = (
                f"UPDATE entries SET seq = -1 WHERE seq = {one}; UPDATE entries SET seq = {one} WHERE seq = {one + 1};"
                f"UPDATE entries SET seq = {one + 1} WHERE seq = -1"
            )
            assert tampered(swap).count, f"{one} and {one + 1}"


def test_an_entry_that_is_put_between_others_is_found(lived):
    with lived.tampering() as tampered:
        size = tampered.session.execute(text("SELECT count(*) FROM entries")).scalar_one()
        for place in (0, size // 2, size):
            moved = (
                f"UPDATE entries SET seq = -seq - 2 WHERE seq >= {place};"
                "UPDATE entries SET seq = -seq - 1 WHERE seq < 0;"
            )
            copied = (
                f"INSERT INTO entries SELECT {place}, type, claim, actor, time, payload, canonical, leaf_hash"
                " FROM entries WHERE seq = (SELECT max(seq) FROM entries)"
            )
            assert tampered(f"{moved} {copied}").count, place


@pytest.mark.parametrize(
    "payload",
    [
        '{"a":' + 20_000 * "[" + 20_000 * "]" + "}",
        r'{"a":1e+300,"b":"\ue0007"}',
        r'{"document_sha256":"\u0000","registration":{"sha256":"\u0000","size":1}}',
        "[]",
    ],
    ids=["deep", "like the marks of numbers", "a name with NUL", "no object"],
)
def test_bytes_that_break_readers_are_found(lived, payload):
    with lived.tampering() as tampered:
        first = tampered.session.execute(text("SELECT canonical FROM entries WHERE type = 'registered' LIMIT 1"))
        entry = json.loads(bytes(first.scalar_one()))
        broken = json.dumps({**entry, "payload": 0}).replace('"payload": 0', f'"payload":{payload}')
        changed = "UPDATE entries SET canonical = :broken WHERE seq = :seq"
        found = tampered(changed, {"broken": broken.encode(), "seq": entry["seq"]}).findings
        assert f"entry {entry['seq']}" in {one.where for one in found}


def test_the_key_replaced_is_found(lived, tmp_path):
    """A thief of the database signs every head anew: under the key that the auditor keeps, none holds."""
    other = load_or_create(tmp_path / "other.key", "tests")
    with lived.tampering() as tampered:
        forged = [
            f"UPDATE checkpoints SET note = '{head(one, other)}' WHERE size = {one.size}"
            for one in checkpoints.read_copies(lived.file)
        ]
        assert all(one.where.startswith(("checkpoint", "remembered")) for one in tampered("; ".join(forged)).findings)
        assert tampered("; ".join(forged), remembered=()).count
        assert tampered("; ".join(forged), vkey=other.vkey).count, "the heads kept outside are signed by the old key"
        assert tampered("SELECT 1", vkey=other.vkey).count


def head(issued, signing):
    signed = checkpoint.sign(Checkpoint(signing.name, issued.size, issued.root), signing.name, signing.key)
    return signed.replace("'", "''")


def forgery(lived, session):
    """Statements by which an operator rewrites an entry with everything that follows from it, signed with the key."""
    size = session.execute(text("SELECT count(*) FROM entries")).scalar_one()
    canonical = [bytes(row) for row in session.execute(text("SELECT canonical FROM entries ORDER BY seq")).scalars()]
    last = json.loads(canonical[-1])
    assert last["type"] == "noted", "nothing is projected from it"
    last["payload"]["note"] = "never said"
    canonical[-1] = canonical_bytes(last)
    leaves = Leaves([leaf_hash(each) for each in canonical])
    entry = (
        f"UPDATE entries SET canonical = '\\x{canonical[-1].hex()}', leaf_hash = '\\x{leaves.levels[0][-1].hex()}',"
        f" payload = '{json.dumps(last['payload'])}' WHERE seq = {size - 1}"
    )
    nodes = [
        f"UPDATE nodes SET hash = '\\x{hash_.hex()}' WHERE level = {level} AND index = {index}"
        for level, hashes in enumerate(leaves.levels[1:], start=1)
        for index, hash_ in enumerate(hashes)
    ]
    forged = Issued(size, leaves.root(size), "", None)
    signed = f"root = '\\x{forged.root.hex()}', note = '{head(forged, lived.signing)}'"
    return "; ".join([entry, *nodes, f"UPDATE checkpoints SET {signed} WHERE size = {size}"])


def test_history_rewritten_and_signed_anew_is_found_by_whoever_kept_a_head(lived):
    """What no database can show by itself: everything in it agrees. A head kept elsewhere does not."""
    with lived.tampering() as tampered:
        statements = forgery(lived, tampered.session)
        assert tampered(statements, remembered=()).count == 0
        found = tampered(statements).findings
        assert any("they are not those that were signed" in one.what for one in found)
