"""What the ledger says of a claim and its reproductions once both are judged."""

import threading

import pytest

from app.ledger import log
from app.ledger.append import append
from app.ledger.audit import audit
from app.ledger.judging import record_void
from app.ledger.runs import hold
from app.ledger.signing import load_or_create
from app.ledger.tables import ClaimRow


@pytest.fixture
def signing(tmp_path):
    return load_or_create(tmp_path / "signing.key", "tests")


@pytest.fixture
def pair(coins):
    """A claim of ada's and its reproduction by bob."""
    original = coins.file(reproduction_tolerance={"heads": 0.05})
    return original, coins.again(original)


@pytest.mark.parametrize("first", ["original", "reproduction"])
def test_whichever_is_judged_last_the_pair_is_compared_once(ledger, coins, pair, first):
    original, other = pair
    order = [(original, 0.6, "m1"), (other, 0.62, "m2")]
    for claim, mean, machine in order if first == "original" else reversed(order):
        assert coins.entries(original, "reproduced") == []
        coins.measure(claim, mean, machine)
    (said,) = coins.entries(original, "reproduced")
    assert (said["by"], said["run"], said["kind"], said["agrees"]) == (other, f"{other}-1", "reproduction", True)
    (heads,) = said["compared"]
    assert (heads["metric"], heads["original"], heads["reproduction"]) == (
        "heads",
        pytest.approx(0.6),
        pytest.approx(0.62),
    )
    assert (heads["difference"], heads["tolerance"]) == (pytest.approx(0.02), 0.05)
    assert coins.entries(other, "reproduced") == []
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, original).status == "confirmed"
        (entry,) = [entry for entry in log.history(session, original) if entry.type == "reproduced"]
        assert entry.actor == "ledger"


@pytest.mark.parametrize(("mean", "agrees"), [(0.62, True), (0.7, False), (0.4, False)])
def test_agreement_is_the_outcome_and_every_tolerance(coins, pair, mean, agrees):
    coins.measure(pair[0], 0.6, "m1")
    coins.measure(pair[1], mean, "m2")
    assert [said["agrees"] for said in coins.entries(pair[0], "reproduced")] == [agrees]


@pytest.mark.parametrize(("registrant", "machine"), [("ada", "m2"), ("bob", "m1"), ("bob", None)])
def test_the_same_registrant_or_machine_or_an_unknown_one_makes_a_rerun(coins, registrant, machine):
    original = coins.file()
    other = coins.again(original, registrant)
    coins.measure(original, 0.6, "m1")
    coins.measure(other, 0.6, machine)
    assert [(said["kind"], said["agrees"]) for said in coins.entries(original, "reproduced")] == [("rerun", True)]


def test_the_log_says_which_machines_measured(coins, pair):
    coins.measure(pair[0], 0.6, "m1")
    coins.measure(pair[1], 0.6, None)
    assert [ended["machines"] for ended in coins.entries(pair[0], "run_ended")] == [["m1"]]
    assert [ended["machines"] for ended in coins.entries(pair[1], "run_ended")] == [[]]


def test_a_void_is_compared_with_nothing(ledger, coins, pair):
    original, other = pair
    coins.take(original, "m1")
    with ledger.begin() as session:
        record_void(session, hold(session, f"{original}-1"), "worker_lost", {})
    coins.measure(other, 0.6, "m2")
    assert coins.entries(original, "reproduced") == []
    assert [ended["machines"] for ended in coins.entries(original, "run_ended")] == [["m1"]]


def test_an_original_judged_last_is_compared_with_every_reproduction(coins, pair):
    original, second = pair
    third, unmeasured = coins.again(original, "eve"), coins.again(original, "sam")
    coins.measure(second, 0.6, "m2")
    coins.measure(third, 0.4, "m3")
    coins.measure(original, 0.6, "m1")
    said = coins.entries(original, "reproduced")
    assert [(one["by"], one["agrees"]) for one in said] == [(second, True), (third, False)]
    coins.measure(unmeasured, 0.6, "m1")
    assert [one["kind"] for one in coins.entries(original, "reproduced")] == ["reproduction", "reproduction", "rerun"]


def test_two_judged_at_the_same_moment_are_compared_exactly_once(coins):
    for number in range(8):
        original = coins.file(title=f"Coin {number}")
        other = coins.again(original)
        coins.take(original, "m1")
        coins.take(other, "m2")
        start = threading.Barrier(2)

        def judge(claim, start=start):
            start.wait()
            coins.judge(claim, 0.6)

        threads = [threading.Thread(target=judge, args=(claim,)) for claim in (original, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(coins.entries(original, "reproduced")) == 1


def test_many_compared_metrics_stand_beside_the_log(coins, pair, monkeypatch):
    monkeypatch.setattr("app.ledger.inline.INLINE_BYTES", 10)
    coins.measure(pair[0], 0.6, "m1")
    coins.measure(pair[1], 0.6, "m2")
    (said,) = coins.entries(pair[0], "reproduced")
    assert set(said["compared"]) == {"sha256", "size"}


def test_what_is_compared_is_what_the_log_says_whatever_the_tables_say(ledger, postgres, coins, pair):
    """Somebody who changes tables gets nothing false into the log by way of the ledger itself."""
    coins.measure(pair[0], 0.6, "m1")
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("UPDATE hypotheses SET outcome = 'refuted', estimate = 0.1 WHERE claim = %s", (pair[0],))
        connection.execute("UPDATE evidence SET body = jsonb_set(body, '{estimates,heads,value}', '0.1')")
    coins.measure(pair[1], 0.62, "m2")
    (said,) = coins.entries(pair[0], "reproduced")
    assert said["agrees"] is True
    assert said["compared"][0]["original"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    "false", [{"agrees": False}, {"kind": "rerun"}, {"why": "Because."}, {"compared": []}, {"run": "another00000-1"}]
)
def test_an_audit_compares_anew(ledger, coins, pair, signing, false):
    """What an operator writes with everything that follows from it is still not what the two measurements give."""
    coins.measure(pair[0], 0.6, "m1")
    coins.measure(pair[1], 0.62, "m2")

    def found():
        with ledger.begin() as session:
            findings = audit(session, signing.vkey).findings
        return [one.what for one in findings if not one.where.startswith("receipt")]  # another key's, in these tests

    assert found() == []
    (said,) = coins.entries(pair[0], "reproduced")
    with ledger.begin() as session:
        append(session, "reproduced", pair[0], "ledger", {**said, **false})
    assert found() == ["its comparison is not the one that the two measurements give"]
