import threading
from itertools import pairwise

import pytest
from sqlalchemy import text

from app.ledger.links import withdraw
from app.ledger.outbox import relay


class Sent(list):
    def __call__(self, run, index, queue):
        self.append((run, index, queue))


@pytest.fixture
def claim(ledger, put_claim):
    with ledger.begin() as session:
        return put_claim(session, shards=3)


def shift(ledger, seconds):
    """Let every message, and every filing, lie so much further in the past."""
    with ledger.begin() as session:
        session.execute(text(f"UPDATE shards SET relayed = relayed - interval '{seconds} s'"))
        session.execute(text(f"UPDATE runs SET queued = queued - interval '{seconds} s'"))


def test_every_shard_that_waits_gets_one_message(ledger, claim):
    sent = Sent()
    assert relay(ledger, sent) == 3
    assert sent == [(f"{claim}-1", index, "cpu") for index in range(3)]
    assert relay(ledger, sent) == 0


def test_a_run_can_be_relayed_alone(ledger, claim, put_claim):
    with ledger.begin() as session:
        other = put_claim(session, shards=1)
    sent = Sent()
    assert relay(ledger, sent, run=f"{other}-1") == 1
    assert sent == [(f"{other}-1", 0, "cpu")]


def test_while_the_broker_is_down_everything_stays_due(ledger, claim):
    def down(run, index, queue):
        raise ConnectionError("the broker is down")

    with pytest.raises(ConnectionError):
        relay(ledger, down)
    assert relay(ledger, Sent()) == 3


def test_a_message_that_may_be_lost_is_sent_again_ever_more_seldom(ledger, claim):
    relay(ledger, Sent())
    times = []
    for second in range(0, 3000, 10):
        if relay(ledger, Sent()):
            times.append(second)
        shift(ledger, 10)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert 10 <= times[0] <= 20
    assert gaps == sorted(gaps)
    assert max(gaps) <= 310
    assert len(times) < 20


def test_a_shard_queued_again_is_sent_at_once(ledger, claim):
    relay(ledger, Sent())
    with ledger.begin() as session:
        session.execute(text("UPDATE shards SET relayed = NULL WHERE index = 1"))
    sent = Sent()
    assert relay(ledger, sent) == 1
    assert sent == [(f"{claim}-1", 1, "cpu")]


def test_relays_share_the_work(ledger, put_claim):
    with ledger.begin() as session:
        for _ in range(10):
            put_claim(session, shards=4)
    sent = Sent()
    threads = [threading.Thread(target=relay, args=(ledger, sent)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sent) == len(set(sent)) == 40


def test_nothing_is_sent_of_a_claim_that_was_withdrawn(ledger, claim):
    with ledger.begin() as session:
        withdraw(session, claim, "ada", "I changed my mind.")
    assert relay(ledger, Sent()) == 0


def test_a_relay_that_hangs_on_the_broker_holds_up_no_other(ledger, claim, put_claim):
    hanging, go_on = threading.Event(), threading.Event()

    def hang(run, index, queue):
        hanging.set()
        go_on.wait()

    stuck = threading.Thread(target=relay, args=(ledger, hang))
    stuck.start()
    hanging.wait()
    with ledger.begin() as session:
        other = put_claim(session, shards=1)
    sent = Sent()
    try:
        assert relay(ledger, sent) == 1
    finally:
        go_on.set()
        stuck.join()
    assert sent == [(f"{other}-1", 0, "cpu")]
