"""The projections are what the log says: replaying it into empty tables gives them again."""

import pytest

from app.ledger import datasets, forecasts
from app.ledger.append import append
from app.ledger.judging import record_void
from app.ledger.links import withdraw
from app.ledger.runs import hold
from claims.forecasts import seal
from claims.pairs import read_pairs

SALT = bytes(range(32))
PAIR = b'{"id":"p1","dimension":"safety","prompt":"Say it.","chosen":"Yes.","rejected":"No."}\n'


@pytest.fixture
def a_life(ledger, put_claim, judge, open_run):
    """A ledger on which everything has happened that can."""
    with ledger.begin() as session:
        datasets.upload(session, read_pairs(PAIR), "one pair", "ada")
        refuted, old, gone, lost = (put_claim(session) for _ in range(4))
        put_claim(session, builds_on=[refuted])
        forecasts.seal(session, refuted, "bob", seal(refuted, "bob", 0.25, SALT))
        judge(session, refuted, "refuted")
        forecasts.reveal(session, refuted, "bob", 0.25, SALT)
        put_claim(session, builds_on=[refuted, old])
        judge(session, old, "confirmed")

        append(session, "superseded", old, "ada", {"by": refuted, "reason": "Better."})
        withdraw(session, gone, "ada", "A mistake.")
        open_run(session, lost)
        record_void(session, hold(session, f"{lost}-1"), "worker_lost", {"attempts": 3})
        put_claim(session)


def test_replaying_the_log_gives_the_same_tables(a_life, replayed):
    before, after = replayed()
    assert {name for name, rows in before.items() if not rows} == {"imports"}  # which have a test of their own
    assert after == before
