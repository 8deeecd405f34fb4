"""A claim in its window, which no worker can take, and what the tables keep of forecasts."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import text, update
from sqlmodel import select

from app.ledger import forecasts, records
from app.ledger.append import append
from app.ledger.errors import TooLateError, UnknownClaimError
from app.ledger.links import withdraw
from app.ledger.opening import unopened
from app.ledger.outbox import relay
from app.ledger.runs import awaited_instrument, claim_shard, expire
from app.ledger.tables import ClaimRow, ForecastRow
from app.ledger.track_records import forecasters, track_record
from claims.forecasts import seal
from claims.lifecycle import IllegalStepError

SOURCE = {"instrument_source_sha256": "5" * 64}
SALT = bytes(range(32))


@pytest.fixture
def claim(ledger, put_claim):
    with ledger.begin() as session:
        return put_claim(session, forecast_hours=24)


def take(ledger, claim):
    with ledger.begin() as session:
        return claim_shard(session, f"{claim}-1", 0, worker="w1", source=SOURCE, term=timedelta(seconds=60))


def sent(ledger):
    messages = []
    relay(ledger, lambda run, index, _queue: messages.append((run, index)))
    return messages


def test_no_worker_takes_a_claim_in_its_window(ledger, claim, put_claim):
    with ledger.begin() as session:
        other = put_claim(session)
    run = f"{claim}-1"
    assert take(ledger, claim) is None
    assert sent(ledger) == [(f"{other}-1", 0), (f"{other}-1", 1)], "no message is sent of what may not be taken"
    expire(ledger)
    with ledger.begin() as session:
        assert awaited_instrument(session, run, 0) is None
        found = records.run(session, run)
        assert (found.status, found.attempts, found.not_before - found.queued) == ("queued", 0, timedelta(hours=24))
        assert [one.run for one in unopened(session)] == [f"{other}-1", run], "rounds are fetched first for who opens"


def test_the_log_itself_refuses_a_run_that_opens_early(ledger, claim):
    """Whatever became of the queue: its time is the ledger's own, and the log knows it."""
    with ledger.begin() as session:
        session.execute(text("UPDATE shards SET not_before = now()"))
    assert len(sent(ledger)) == 2
    with pytest.raises(IllegalStepError, match="forecasts are taken until"):
        take(ledger, claim)
    with ledger.begin() as session:
        assert records.run(session, f"{claim}-1").status == "queued"


def test_a_claim_in_its_window_can_be_withdrawn(ledger, claim):
    with ledger.begin() as session:
        withdraw(session, claim, "ada", "A slip.")
        assert records.run(session, f"{claim}-1").status == "cancelled"


def test_an_entry_states_the_hours_that_its_document_asks_for(ledger, put_claim, document, claim):
    for hours, stated in ((24, {}), (0, {"forecast_hours": 24}), (24, {"forecast_hours": 1})):
        filed = {**document, "title": f"{hours} {stated}", "forecast_hours": hours}
        payload = {
            "registration": filed, "document_sha256": "ab" * 32, "nonce_sha256": "cd" * 32,
            "precedence": "committed", **stated,
        }  # fmt: skip
        with pytest.raises(IllegalStepError, match="by its document there are"), ledger.begin() as session:
            append(session, "registered", "claimother0001", "ada", payload)


def test_what_was_sealed_and_told_is_kept_as_the_log_has_it(ledger, put_claim, judge):
    with ledger.begin() as session:
        claim = put_claim(session)
        first = forecasts.seal(session, claim, "bob", seal(claim, "bob", 0.25, SALT))
        forecasts.seal(session, claim, "eve", seal(claim, "eve", 1, SALT))
        judge(session, claim, "confirmed")
        told = forecasts.reveal(session, claim, "bob", 0.25, SALT)
        bob, eve = forecasts.of_claim(session, claim)
        assert (bob.registrant, bob.seq, bob.time, bob.probability) == ("bob", first.seq, first.time, 0.25)
        assert (bob.salt, bob.revealed, bob.revealed_seq) == (SALT.hex(), told.time, told.seq)
        assert (eve.probability, eve.salt, eve.revealed, eve.revealed_seq) == (None, None, None, None)


def test_a_seal_that_waits_for_an_opening_comes_too_late(ledger, put_claim, open_run, eventually):
    """It is asked whether the claim is open under the log's lock: nobody seals what is being opened just now."""
    with ledger.begin() as session:
        claim = put_claim(session)

    def attempt():
        with ledger.begin() as session:
            forecasts.seal(session, claim, "bob", "ab" * 32)

    with ThreadPoolExecutor(1) as pool, ledger.begin() as session:
        open_run(session, claim)
        late = pool.submit(attempt)

        def it_waits():
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            return session.execute(text(waiting)).scalar_one()

        eventually(it_waits)
    with pytest.raises(TooLateError, match="data may exist"):
        late.result()


def test_who_tells_only_what_came_true_is_seen_to(ledger, put_claim, judge):
    """The calibration of what is told, and beside it how many forecasts of judged claims were not."""
    with ledger.begin() as session:
        for verdict, told in (("confirmed", True), ("refuted", False), ("void", True)):
            claim = put_claim(session)
            forecasts.seal(session, claim, "bob", seal(claim, "bob", 0.9, SALT))
            judge(session, claim, verdict)
            if told:
                forecasts.reveal(session, claim, "bob", 0.9, SALT)
        waiting = put_claim(session)
        forecasts.seal(session, waiting, "bob", seal(waiting, "bob", 0.5, SALT))
        forecasts.seal(session, waiting, "eve", seal(waiting, "eve", 0.5, SALT))
        bob = track_record(session, "bob")
        assert (bob.sealed, bob.revealed, bob.hidden, bob.waiting, bob.withdrawn) == (4, 2, 1, 1, 0)
        assert (bob.calibration.decided.n, bob.calibration.void) == (1, 1)
        assert bob.calibration.brier == pytest.approx(0.01)
        assert track_record(session).sealed == 5
        assert track_record(session, "nobody").sealed == 0


def test_forecasters_are_listed_each_with_what_theirs_came_to(ledger, put_claim, judge):
    """Everybody once, by their first forecast, page by page; what is never told is of judged or withdrawn claims."""
    with ledger.begin() as session:
        gone, claim, waits = put_claim(session), put_claim(session), put_claim(session)
        for who, probability in (("eve", 0.75), ("bob", 0.25), ("dan", 0.5)):
            for which in (gone, claim) if who == "dan" else (claim, waits):
                forecasts.seal(session, which, who, seal(which, who, probability, SALT))
        withdraw(session, gone, "ada", "A slip.")
        judge(session, claim, "confirmed")
        for who, probability in (("eve", 0.75), ("bob", 0.25)):
            forecasts.reveal(session, claim, who, probability, SALT)
        whole = forecasters(session)
        assert whole.next is None
        assert [name for name, _ in whole.items] == ["eve", "bob", "dan"]
        for name, record in whole.items:
            assert record == track_record(session, name)
            assert record.sealed == record.revealed + record.hidden + record.waiting + record.withdrawn == 2
        scores = {name: (record.calibration.brier, record.hidden, record.withdrawn) for name, record in whole.items}
        assert scores == {"eve": (0.0625, 0, 0), "bob": (0.5625, 0, 0), "dan": (None, 1, 1)}
        seen, cursor = [], None
        while not seen or cursor:
            part = forecasters(session, cursor=cursor, limit=1)
            seen, cursor = [*seen, *part.items], part.next
        assert seen == whole.items


def test_what_is_told_of_known_data_is_counted_and_in_no_score(ledger, put_claim, judge):
    with ledger.begin() as session:
        claim = put_claim(session)
        session.execute(update(ClaimRow).where(ClaimRow.id == claim).values(precedence="post_hoc"))
        forecasts.seal(session, claim, "bob", seal(claim, "bob", 0.9, SALT))
        judge(session, claim, "confirmed")
        forecasts.reveal(session, claim, "bob", 0.9, SALT)
        session.execute(update(ClaimRow).where(ClaimRow.id == claim).values(precedence="post_hoc"))
        bob = track_record(session, "bob")
        assert (bob.sealed, bob.revealed, bob.hidden, bob.post_hoc, bob.calibration.decided.n) == (1, 1, 0, 1, 0)


def test_an_unknown_claim_has_no_forecasts(ledger):
    with ledger.begin() as session:
        for ask in (
            lambda: forecasts.of_claim(session, "nothere00000"),
            lambda: forecasts.seal(session, "nothere00000", "bob", "ab" * 32),
            lambda: forecasts.reveal(session, "nothere00000", "bob", 0.5, SALT),
        ):
            with pytest.raises(UnknownClaimError):
                ask()
        assert session.exec(select(ForecastRow)).all() == []
