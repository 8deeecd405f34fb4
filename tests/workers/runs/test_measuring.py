"""One shard in this process: what is written when it goes well, and when it does not."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlmodel import select

from app.ledger import blobs, log, records
from app.ledger.queries import get_claim
from app.ledger.tables import EvidenceRow, ShardRow
from claims import rows
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate
from workers import measuring
from workers.finishing import finish_run
from workers.measuring import measure_shard


def run_all(worker, claim, coins=8):
    run = f"{claim}-1"
    for index in range(coins):
        measure_shard(worker, run, index)
    return finish_run(worker.ledger, run)


def shard(worker, claim, index=0):
    with worker.ledger.begin() as session:
        return session.get_one(ShardRow, (f"{claim}-1", index))


def test_a_run_is_measured_and_judged(worker, file_claim, watch):
    claim = file_claim()
    assert run_all(worker, claim)
    assert watch.types(claim) == ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]
    with worker.ledger.begin() as session:
        summary = get_claim(session, claim)
        evidence = records.evidence_of(session, claim)
        measured = list(rows.decode(blobs.read(session, evidence.rows_sha256)))
    assert summary.status == "confirmed"
    assert [row["organism"] for row in measured] == list(range(8))
    found = Evidence.model_validate(evidence.body)
    assert found.counts == {"organisms": 8, "pairs": 80}
    assert found.cost["forwards"] == 80
    assert (found.cost["token_layers"], found.cost["token_layers_floor"]) == (880, 800)
    assert found.provenance.dirty in {"clean", "dirty", "unknown"}
    assert {"python", "numpy"} <= set(found.provenance.packages)
    assert found.provenance.started < found.provenance.finished


def test_anyone_gets_the_same_verdict_from_the_rows(worker, file_claim):
    claim = file_claim()
    run_all(worker, claim)
    with worker.ledger.begin() as session:
        summary, evidence = get_claim(session, claim), records.evidence_of(session, claim)
        registration = log.history(session, claim)[0].payload["registration"]
    verdict = adjudicate(Registration.model_validate(registration), Evidence.model_validate(evidence.body))
    assert verdict.status == summary.status
    assert verdict.hypotheses[0].lo == summary.hypotheses[0].lo


def test_two_workers_measure_the_same_numbers_as_one(worker, file_claim):
    claim = file_claim()
    run_all(worker, claim)
    first = shard(worker, claim, 3).rows_sha256
    with worker.ledger.begin() as session:
        row = session.get_one(ShardRow, (f"{claim}-1", 3))
        nonce = bytes.fromhex(log.history(session, claim)[1].payload["nonce"])
        document = get_claim(session, claim).document_sha256
    import random

    from claims.seeds import seed

    toss = random.Random(seed(nonce, document, "coin/3/toss"))
    heads = sum(toss.random() < 0.7 for _ in range(10))
    with worker.ledger.begin() as session:
        body = measuring.blobs.read(session, first)
    at = {"kind": "organism", "pair_id": "coin/3", "dimension": "coins", "organism": 3}
    assert list(rows.decode(body)) == [at | {"heads": heads / 10 * (1 - 3 / 1000)}]
    assert row.facts["forwards"] == 10


def test_two_workers_racing_for_one_shard_measure_it_once(worker, file_claim, watch):
    claim = file_claim(coins=4, seconds=0.2)
    finished = []
    start = threading.Barrier(2)

    def work():
        start.wait()
        finished.append(measure_shard(worker, f"{claim}-1", 0))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(finished) == {None, f"{claim}-1"}
    assert shard(worker, claim).attempts == 1
    assert watch.types(claim) == ["registered", "opened"]


def test_messages_delivered_again_after_the_end_are_harmless(worker, file_claim, watch):
    claim = file_claim(coins=4)
    run_all(worker, claim, 4)
    before = watch.types(claim)
    for _ in range(2):
        assert measure_shard(worker, f"{claim}-1", 0) is None
        assert not finish_run(worker.ledger, f"{claim}-1")
    assert watch.types(claim) == before


def test_a_run_is_not_judged_before_its_last_shard(worker, file_claim, watch):
    claim = file_claim(coins=4)
    for index in range(3):
        measure_shard(worker, f"{claim}-1", index)
        assert not finish_run(worker.ledger, f"{claim}-1")
    assert watch.types(claim) == ["registered", "opened"]


def test_of_workers_judging_at_the_same_time_one_does(worker, file_claim, watch):
    claim = file_claim(coins=4)
    for index in range(4):
        measure_shard(worker, f"{claim}-1", index)
    judged = []
    start = threading.Barrier(3)

    def work():
        start.wait()
        judged.append(finish_run(worker.ledger, f"{claim}-1"))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert judged.count(True) == 1
    assert watch.types(claim).count("adjudicated") == 1
    with worker.ledger.begin() as session:
        assert len(session.exec(select(EvidenceRow)).all()) == 1


@pytest.mark.parametrize(("trouble", "says"), [("error", "ArithmeticError: the coin fell"), ("not_a_number", "row 1")])
def test_a_failure_is_written_down_and_after_three_the_run_is_void(worker, file_claim, watch, trouble, says):
    claim = file_claim(coins=4, trouble=trouble)
    for attempt in range(1, 4):
        assert measure_shard(worker, f"{claim}-1", 0) is None
        assert shard(worker, claim).attempts == attempt
        assert says in shard(worker, claim).failure
        assert "Traceback" in shard(worker, claim).failure
    assert watch.types(claim) == ["registered", "opened", "run_ended", "voided"]
    figures = watch.history(claim)[-1].payload["figures"]
    assert says in figures["failure"]
    assert (figures["attempts"], figures["shards_done"]) == (3, 0)


def test_a_refusal_is_recorded_with_its_remedy(worker, file_claim, watch):
    claim = file_claim(coins=4, trouble="refusal")
    assert measure_shard(worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == ["registered", "opened", "refused", "run_ended", "voided"]
    refusal = {"reason": "unusable_model", "detail": "There is no coin.", "remedy": "Bring one."}
    assert watch.history(claim)[2].payload["refusal"] == refusal
    assert measure_shard(worker, f"{claim}-1", 1) is None


def test_an_estimate_that_fails_is_tried_three_times(worker, file_claim, watch):
    claim = file_claim(coins=4, trouble="estimate")
    for index in range(4):
        measure_shard(worker, f"{claim}-1", index)
    for _ in range(3):
        assert not finish_run(worker.ledger, f"{claim}-1")
    assert watch.types(claim) == ["registered", "opened", "run_ended", "voided"]
    payload = watch.history(claim)[-1].payload
    assert payload["reason"] == "worker_lost"
    assert payload["figures"] == {"judging": 3, "failure": "ArithmeticError: the estimate is broken"}


@pytest.fixture
def half_way(worker, file_claim, tmp_path, monkeypatch, eventually):
    """A claim whose third shard is half measured, the thread that measures it, what it said, and the gate it is at."""
    gate = tmp_path / "gate"
    gate.touch()
    monkeypatch.setenv("COIN_GATE", str(gate))
    # A heart that beats every second.
    worker = replace(worker, term=timedelta(seconds=3))
    claim, outcome = file_claim(coins=4), []
    thread = threading.Thread(target=lambda: outcome.append(measure_shard(worker, f"{claim}-1", 2)))
    thread.start()
    try:
        eventually(lambda: shard(worker, claim, 2).rows_done == 5)
        yield claim, thread, outcome, gate
    finally:
        gate.unlink(missing_ok=True)
        thread.join()


def test_a_worker_that_lost_its_lease_stops_and_writes_nothing(worker, half_way):
    claim, thread, outcome, _ = half_way
    with worker.ledger.begin() as session:
        row = session.get_one(ShardRow, (f"{claim}-1", 2))
        row.token += 1
        row.worker = "somebody else"
    thread.join(60)
    assert outcome == [None]
    after = shard(worker, claim, 2)
    assert (after.status, after.worker, after.rows_done) == ("leased", "somebody else", 5)


def test_code_that_changed_between_measuring_and_judging_voids(worker, file_claim, watch, monkeypatch):
    claim = file_claim(coins=4)
    for index in range(4):
        measure_shard(worker, f"{claim}-1", index)
    monkeypatch.setattr("workers.source.source_sha256", lambda name: "f" * 64)
    assert finish_run(worker.ledger, f"{claim}-1")
    assert watch.types(claim)[-1] == "voided"
    assert watch.history(claim)[-1].payload["reason"] == "code_drift"


def test_progress_reaches_the_ledger_while_measuring(worker, half_way):
    claim, thread, outcome, gate = half_way
    with worker.ledger.begin() as session:
        assert records.run(session, f"{claim}-1").rows_done == 5
    gate.unlink()
    thread.join()
    assert outcome == [f"{claim}-1"]
    assert shard(worker, claim, 2).rows_done == 10
