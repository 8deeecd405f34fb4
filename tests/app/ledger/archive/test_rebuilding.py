"""A ledger made anew in another database: the log as it is, everything else from it."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from app.ledger import checkpoints, records
from app.ledger.audit import audit
from app.ledger.audit.tables import PROJECTED
from app.ledger.rebuilding import COPIED, DamagedError, UsedDatabaseError, rebuild

SAME = [table.__tablename__ for table in (*COPIED, *PROJECTED)]


def silent(*_):
    pass


def tables(postgres, database):
    with postgres.superuser(database) as connection:
        return {name: sorted(map(str, connection.execute(f"SELECT t FROM {name} t"))) for name in SAME}


def remade(life, target):
    return rebuild(life.ledger, target.ledger, life.signing.vkey, checkpoints.read_copies(life.file), silent)


def test_every_table_is_as_it_was(life, empty, postgres):
    target = empty()
    done = remade(life, target)
    assert done.audited.findings == ()
    before = tables(postgres, "ledger_tests")
    assert [name for name in SAME if not before[name]] == ["idempotent_requests"]
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("UPDATE runs SET joins = 0")
    assert tables(postgres, target.name) == tables(postgres, "ledger_tests")


def test_what_had_not_ended_is_queued_from_its_start(life, empty):
    target = empty()
    done = remade(life, target)
    names = ("standing on it", "newer", "theirs", "running", "waiting", "awaited")
    assert sorted(done.waiting.queued) == sorted(f"{life.claims[name]}-1" for name in names)
    assert done.waiting.lost == ()
    with target.ledger.begin() as session:
        shards = session.execute(text("SELECT status, attempts, count(*) FROM shards GROUP BY 1, 2")).all()
        assert shards == [("queued", 0, 8 * len(names))]
        (run,) = records.runs_of(session, life.claims["awaited"])
        assert run.not_before == run.queued + timedelta(hours=24)
        assert session.execute(text("SELECT count(not_before) FROM shards")).scalar_one() == 8
    life.ledger = target.ledger
    life.judge(life.claims["running"], 0.6)
    life.judge(life.claims["waiting"], 0.6)
    with target.ledger.begin() as session:
        assert audit(session, life.signing.vkey).findings == ()


def test_a_run_that_had_ended_is_told_without_its_queue(life, empty):
    target = empty()
    remade(life, target)
    with target.ledger.begin() as session:
        (run,) = records.runs_of(session, life.claims["refuted"])
        assert (run.status, run.queue, run.shards_total, run.attempts) == ("ended", None, 0, 0)


def test_it_writes_only_to_what_is_empty(life, empty):
    target = empty()
    remade(life, target)
    with pytest.raises(UsedDatabaseError, match="rows in entries"):
        remade(life, target)


def test_projections_that_were_tampered_with_are_left_behind(life, empty, postgres):
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("UPDATE claims SET status = 'confirmed' WHERE id = %s", [life.claims["refuted"]])
        connection.execute("DELETE FROM links")
    target = empty()
    assert remade(life, target).audited.findings == ()
    with target.ledger.begin() as session:
        status = session.execute(text("SELECT status FROM claims WHERE id = :id"), {"id": life.claims["refuted"]})
        assert status.scalar_one() == "refuted"
        assert session.execute(text("SELECT count(*) FROM links")).scalar_one()


def test_of_a_log_that_was_tampered_with_nothing_is_kept(life, empty, postgres):
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("ALTER TABLE nodes DISABLE TRIGGER USER")
        connection.execute("UPDATE nodes SET hash = sha256('x') WHERE level = 2 AND index = 0")
        connection.execute(
            "ALTER TABLE nodes ENABLE ALWAYS TRIGGER nodes_keep_rows, ENABLE ALWAYS TRIGGER nodes_keep_all"
        )
    target = empty()
    with pytest.raises(DamagedError, match="nothing was written") as damaged:
        remade(life, target)
    assert "tree node 2/0" in {finding.where for finding in damaged.value.audited.findings}
    with target.ledger.begin() as session:
        assert session.execute(text("SELECT count(*) FROM entries")).scalar_one() == 0


def test_a_claim_whose_nonce_is_lost_is_named(life, empty, postgres):
    waiting = f"{life.claims['waiting']}-1"
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("DELETE FROM nonces WHERE run = ANY(%s)", [[waiting, f"{life.claims['running']}-1"]])
    done = remade(life, empty())
    assert done.waiting.lost == ((waiting, "its nonce is not there"),)
    assert f"{life.claims['running']}-1" in done.waiting.queued, "the log reveals the nonce of an open run"
