"""Real Celery workers over a real broker and a real database, and what happens when they are killed."""

import os
import signal
from pathlib import Path

import psutil
import pytest

from app.dispatch import BrokerUnavailableError, Dispatch
from app.ledger import joining, outbox
from app.ledger.tables import RunRow

MEASURED = ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]


def process_of(shard):
    return int(shard.worker.partition("/")[2])


def maps(process):
    return Path(f"/proc/{process.pid}/maps").read_text()


def test_a_filed_claim_is_relayed_measured_and_judged(file_claim, start_worker, watch, eventually):
    claim = file_claim()
    parent = start_worker(COIN_TORCH="yes")

    def the_claim_is_confirmed():
        return watch.status(claim) == "confirmed"

    eventually(the_claim_is_confirmed, seconds=120)
    assert watch.types(claim) == MEASURED
    assert "libtorch" not in maps(parent)
    assert any("libtorch" in maps(child) for child in psutil.Process(parent.pid).children())


def test_what_was_filed_while_the_broker_was_down_is_relayed_later(ledger, file_claim, start_worker, watch, eventually):
    claim = file_claim(coins=4)
    down = Dispatch("unix:///nonexistent/nothing.sock")
    with pytest.raises(BrokerUnavailableError):
        outbox.relay(ledger, down.measure_shard, run=f"{claim}-1")
    down.close()
    start_worker()

    def the_claim_is_confirmed():
        return watch.status(claim) == "confirmed"

    eventually(the_claim_is_confirmed, seconds=120)


def test_messages_sent_many_times_change_nothing(urls, file_claim, start_worker, watch, eventually):
    claim = file_claim(coins=4)
    dispatch = Dispatch(urls.redis_url)
    for _ in range(5):
        for index in range(4):
            dispatch.measure_shard(f"{claim}-1", index, "cpu")
    start_worker()

    def the_claim_is_confirmed():
        return watch.status(claim) == "confirmed"

    eventually(the_claim_is_confirmed, seconds=120)
    for index in range(4):
        dispatch.measure_shard(f"{claim}-1", index, "cpu")
    dispatch.close()

    def the_queue_is_empty():
        import redis

        with redis.Redis.from_url(urls.redis_url) as client:
            return client.llen("cpu") == 0

    eventually(the_queue_is_empty)
    assert watch.types(claim) == MEASURED


@pytest.mark.faults
@pytest.mark.parametrize("victim", ["parent", "child"])
def test_a_run_survives_a_kill_and_has_one_verdict(  # noqa: PLR0917 - fixtures
    half_measured, start_worker, watch, eventually, expire_the_dead, victim
):
    claim, parent, gate = half_measured
    before = watch.shards(claim)
    children = psutil.Process(parent.pid).children()
    os.kill(parent.pid if victim == "parent" else process_of(before[2]), signal.SIGKILL)
    if victim == "parent":
        parent.wait()
        _, alive = psutil.wait_procs(children, timeout=60)
        assert alive == []
        start_worker()
    gate.unlink()

    def the_claim_is_confirmed():
        expire_the_dead(claim)
        return watch.status(claim) == "confirmed"

    eventually(the_claim_is_confirmed, seconds=120)
    assert watch.types(claim) == MEASURED
    after = watch.shards(claim)
    assert [shard.finished for shard in after[:2]] == [shard.finished for shard in before[:2]]
    assert [shard.attempts for shard in after] == [1, 1, 2, 2 if victim == "parent" else 1]


@pytest.mark.faults
def test_a_worker_killed_while_judging_has_judged_nothing(  # noqa: PLR0917 - fixtures
    ledger, file_claim, start_worker, watch, eventually, tmp_path
):
    gate = tmp_path / "gate"
    gate.touch()
    claim = file_claim(coins=4)
    parent = start_worker(COIN_ESTIMATE_GATE=str(gate))

    def judging_has_begun():
        with ledger.begin() as session:
            return session.get_one(RunRow, f"{claim}-1").joins == 1

    eventually(judging_has_begun, seconds=120)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    assert watch.types(claim) == ["registered", "opened"]
    start_worker()

    def the_claim_is_confirmed():
        return watch.status(claim) == "confirmed"

    eventually(the_claim_is_confirmed, seconds=120)
    assert watch.types(claim) == MEASURED
    with ledger.begin() as session:
        assert joining.ready(session) == []
        assert session.get_one(RunRow, f"{claim}-1").joins == 2


@pytest.mark.faults
def test_children_that_die_of_their_shard_three_times_void_the_run(
    file_claim, start_worker, watch, eventually, expire_the_dead
):
    claim = file_claim(coins=4, trouble="death")
    start_worker()

    def the_run_is_void():
        expire_the_dead(claim)
        return watch.types(claim)[-1] == "voided"

    eventually(the_run_is_void, seconds=120)
    assert watch.types(claim) == ["registered", "opened", "run_ended", "voided"]
    payload = watch.history(claim)[-1].payload
    assert payload["reason"] == "worker_lost"
    assert payload["figures"]["attempts"] == 3


@pytest.mark.faults
def test_a_worker_told_to_stop_gives_its_shards_back_at_once(half_measured, watch):
    claim, parent, _ = half_measured
    parent.send_signal(signal.SIGQUIT)
    parent.wait(timeout=60)
    assert [(shard.status, shard.attempts) for shard in watch.shards(claim)] == [("done", 1)] * 2 + [("queued", 0)] * 2
    assert watch.types(claim) == ["registered", "opened"]
