"""Leases: a message is a hint, the row decides, and the token fences whoever lost it."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlmodel import select

from app.ledger import blobs, log, queue, runs
from app.ledger.joining import ready
from app.ledger.queries import get_claim
from app.ledger.runs import claim_shard, expire, give_up_shard
from app.ledger.tables import HypothesisRow, Nonce, RunRow, ShardRow
from claims.seeds import seed

SOURCE = {"instrument_source_sha256": "5" * 64}
TERM = timedelta(seconds=60)


@pytest.fixture
def claim(ledger, put_claim):
    with ledger.begin() as session:
        return put_claim(session, shards=2)


def take(ledger, claim, index=0, worker="w1", source=SOURCE):
    with ledger.begin() as session:
        return claim_shard(session, f"{claim}-1", index, worker=worker, source=source, term=TERM)


def shard(ledger, claim, index=0):
    with ledger.begin() as session:
        return session.get_one(ShardRow, (f"{claim}-1", index))


def types(ledger, claim):
    with ledger.begin() as session:
        return [entry.type for entry in log.history(session, claim)]


def last(ledger, claim):
    with ledger.begin() as session:
        return log.history(session, claim)[-1]


def expire_lease(ledger, claim, index=0):
    """Let the lease lie in the past, as it does once its worker has been silent."""
    with ledger.begin() as session:
        row = session.get_one(ShardRow, (f"{claim}-1", index))
        row.lease_until -= timedelta(hours=1)


def test_the_first_worker_opens_the_run_and_reveals_the_nonce(ledger, claim):
    assignment = take(ledger, claim)
    entry = last(ledger, claim)
    assert entry.type == "opened"
    with ledger.begin() as session:
        nonce = session.get_one(Nonce, f"{claim}-1").nonce
        document_sha256 = get_claim(session, claim).document_sha256
    assert entry.payload == {"run": f"{claim}-1", "nonce": nonce.hex(), "beacon": None}
    assert assignment.seeds("any") == seed(nonce, document_sha256, "any")
    assert (assignment.claim, assignment.registration.title) == (claim, "Claim 1")
    assert (assignment.lease.shard.label, assignment.lease.shard.rows) == ("part 0", 10)
    assert take(ledger, claim, index=1).lease.token == 1
    assert types(ledger, claim) == ["registered", "opened"]
    with ledger.begin() as session:
        assert get_claim(session, claim).status == "running"
        assert session.get_one(RunRow, f"{claim}-1").opened == entry.time


def test_a_message_delivered_again_finds_nothing_to_do(ledger, claim):
    assert take(ledger, claim) is not None
    assert take(ledger, claim, worker="w2") is None
    assert shard(ledger, claim).worker == "w1"


@pytest.mark.parametrize(("run", "index"), [("nothing-1", 0), (None, 7)])
def test_a_message_about_nothing_is_harmless(ledger, claim, run, index):
    with ledger.begin() as session:
        assert claim_shard(session, run or f"{claim}-1", index, worker="w", source=SOURCE, term=TERM) is None
    assert types(ledger, claim) == ["registered"]


def test_of_workers_racing_for_a_shard_one_gets_it(ledger, claim):
    got = []
    start = threading.Barrier(6)

    def work(name):
        start.wait()
        got.append(take(ledger, claim, worker=name))

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(assignment is not None for assignment in got) == 1
    assert types(ledger, claim) == ["registered", "opened"]


def test_a_heartbeat_extends_the_lease_and_tells_the_progress(ledger, claim):
    lease = take(ledger, claim).lease
    before = shard(ledger, claim).lease_until
    with ledger.begin() as session:
        assert queue.heartbeat(session, lease, 4, TERM)
    after = shard(ledger, claim)
    assert (after.rows_done, after.lease_until > before) == (4, True)


def test_whoever_lost_the_lease_writes_nothing(ledger, claim):
    lost = take(ledger, claim).lease
    expire_lease(ledger, claim)
    held = take(ledger, claim, worker="w2").lease
    assert (held.token, held.attempt) == (2, 2)
    with ledger.begin() as session:
        rows = blobs.put(session, b"{}\n", "application/jsonl")
        assert not queue.heartbeat(session, lost, 9, TERM)
        assert not queue.complete(session, lost, rows, {})
        assert not queue.release(session, lost)
        assert not queue.fail(session, lost, "too late")
    now = shard(ledger, claim)
    assert (now.status, now.worker, now.rows_done, now.failure) == ("leased", "w2", 0, None)
    with ledger.begin() as session:
        assert queue.complete(session, held, rows, {"forwards": 3})
    done = shard(ledger, claim)
    assert (done.status, done.rows_done, done.facts, done.lease_until) == ("done", 10, {"forwards": 3}, None)


def test_a_heartbeat_tells_that_the_run_has_ended(ledger, claim):
    lease = take(ledger, claim).lease
    with ledger.begin() as session:
        runs.judging.record_void(session, runs.hold(session, f"{claim}-1"), "cancelled", {})
    with ledger.begin() as session:
        assert not queue.heartbeat(session, lease, 4, TERM)


def test_a_lease_that_holds_is_left_alone(ledger, claim):
    take(ledger, claim)
    expire(ledger)
    assert shard(ledger, claim).status == "leased"


def test_what_a_silent_worker_held_is_queued_again(ledger, claim):
    take(ledger, claim)
    expire_lease(ledger, claim)
    expire(ledger)
    again = shard(ledger, claim)
    assert (again.status, again.attempts, again.failure) == ("queued", 1, "worker w1 was not heard of again")
    assert types(ledger, claim) == ["registered", "opened"]


def test_after_three_silent_workers_the_run_is_void_with_what_is_known(ledger, claim):
    with ledger.begin() as session:
        done = claim_shard(session, f"{claim}-1", 1, worker="w0", source=SOURCE, term=TERM)
        queue.complete(session, done.lease, blobs.put(session, b"{}\n", "application/jsonl"), {})
    for number in range(3):
        assert take(ledger, claim, worker=f"w{number}") is not None
        expire_lease(ledger, claim)
        expire(ledger)
    assert types(ledger, claim) == ["registered", "opened", "run_ended", "voided"]
    payload = last(ledger, claim).payload
    assert payload["reason"] == "worker_lost"
    assert payload["remedy"]
    assert payload["figures"] == {
        "shards_done": 1,
        "shards": 2,
        "rows_done": 10,
        "rows": 20,
        "shard": "part 0",
        "attempts": 3,
        "worker": "w2",
        "failure": "worker w2 was not heard of again",
    }
    with ledger.begin() as session:
        summary = get_claim(session, claim)
        assert (summary.status, summary.hypotheses[0].outcome) == ("void", "void")
        assert summary.hypotheses[0].void_reason == "worker_lost"
        assert session.get_one(RunRow, f"{claim}-1").status == "voided"
    assert take(ledger, claim) is None
    expire(ledger)
    assert types(ledger, claim)[-1] == "voided"


def test_a_failure_counts_and_the_third_voids(ledger, claim):
    for number in range(3):
        lease = take(ledger, claim).lease
        with ledger.begin() as session:
            give_up_shard(session, lease, f"Traceback …\nValueError: attempt {number + 1}")
    payload = last(ledger, claim).payload
    assert (payload["reason"], payload["figures"]["failure"]) == ("worker_lost", "ValueError: attempt 3")


def test_a_shard_given_back_at_shutdown_has_lost_no_attempt(ledger, claim):
    for _ in range(5):
        lease = take(ledger, claim).lease
        with ledger.begin() as session:
            assert queue.release(session, lease)
    assert (shard(ledger, claim).attempts, shard(ledger, claim).status) == (0, "queued")
    assert take(ledger, claim).lease.token == 6


def test_a_run_whose_instrument_changed_under_it_is_void(ledger, claim):
    take(ledger, claim)
    changed = {"instrument_source_sha256": "6" * 64}
    assert take(ledger, claim, index=1, source=changed) is None
    payload = last(ledger, claim).payload
    assert payload["reason"] == "code_drift"
    assert payload["figures"] == {"opened_with": "5" * 64, "found": "6" * 64}


def test_a_run_is_ready_once_its_last_shard_is_done(ledger, claim):
    for index in range(2):
        with ledger.begin() as session:
            assert ready(session) == []
        lease = take(ledger, claim, index=index).lease
        with ledger.begin() as session:
            queue.complete(session, lease, blobs.put(session, b"{}\n", "application/jsonl"), {})
    with ledger.begin() as session:
        assert ready(session) == [f"{claim}-1"]


def test_the_databases_clock_rules_leases(ledger, claim):
    now = text("SELECT clock_timestamp()")
    with ledger.begin() as session:
        before = session.execute(now).scalar_one()
    take(ledger, claim)
    with ledger.begin() as session:
        after = session.execute(now).scalar_one()
    assert before < shard(ledger, claim).lease_until - TERM < after


def test_many_workers_finish_everything_once(ledger, put_claim):
    with ledger.begin() as session:
        claims = [put_claim(session, shards=4) for _ in range(3)]
    work = [(claim, index) for claim in claims for index in range(4)] * 3

    def worker(name):
        for claim, index in work:
            assignment = take(ledger, claim, index, worker=name)
            if assignment is not None:
                with ledger.begin() as session:
                    rows = blobs.put(session, f'{{"by":"{name}"}}\n'.encode(), "application/jsonl")
                    assert queue.complete(session, assignment.lease, rows, {})

    threads = [threading.Thread(target=worker, args=(f"w{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ledger.begin() as session:
        shards = session.exec(select(ShardRow)).all()
        assert {(row.status, row.attempts) for row in shards} == {("done", 1)}
        assert session.exec(select(HypothesisRow)).all()
    assert all(types(ledger, claim) == ["registered", "opened"] for claim in claims)
