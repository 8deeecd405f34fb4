"""A verdict computed anew from the stored rows, and all that stands in the way of it."""

import threading

import pytest
from sqlalchemy import text

from app.ledger import blobs, log, records
from app.ledger.correcting import Asked, correct
from app.ledger.errors import NotCorrectableError, NotTheRegistrantError
from app.ledger.judgements import judgements_in, reproductions_in
from app.ledger.judging import record_void
from app.ledger.links import contradict
from app.ledger.runs import hold
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.canonical import sha256_hex
from claims.flaws import RefusedInputError
from claims.instruments import catalogue


def asked(claim, run=None, cause="Wrong.", reason="Found."):
    return Asked(claim, run or f"{claim}-1", cause, reason)


@pytest.fixture
def wrong(coins):
    """A claim that is confirmed, with rows that refute it."""
    claim = coins.file()
    coins.measure(claim, 0.6, rows=0.4)
    return claim


def types(ledger, claim):
    with ledger.begin() as session:
        return [entry.type for entry in log.history(session, claim)]


def test_both_entries_stand_and_both_verdicts_show(ledger, wrong, coins):
    entry = correct(ledger, asked(wrong), "ada", admin=False)
    assert types(ledger, wrong)[-3:] == ["adjudicated", "corrected", "adjudicated"]
    assert (entry.type, entry.actor, entry.payload["cause"], entry.payload["reason"]) == (
        "corrected", "ada", "Wrong.", "Found.",
    )  # fmt: skip
    assert set(entry.payload) == {
        "run", "cause", "reason", "evidence", "evidence_sha256", "rows_sha256", "code",
    }  # fmt: skip
    assert set(entry.payload["code"]) == {"commit", "dirty", "instrument_source_sha256"}
    with ledger.begin() as session:
        first, second = judgements_in(log.history(session, wrong))
        assert (first.status, second.status) == ("confirmed", "refuted")
        assert first.rows_sha256 == second.rows_sha256
        for judgement in (first, second):
            found = judgement.evidence(session)
            assert sha256_hex(found.canonical) == judgement.evidence_sha256 == found.sha256
        standing = records.evidence_of(session, wrong)
        assert (standing.sha256, standing.body) == (second.evidence_sha256, second.evidence(session).body)
        row = session.get_one(EvidenceRow, f"{wrong}-1")
        assert row.seq < entry.seq, "where the evidence was recorded is not moved"
        claim = session.get_one(ClaimRow, wrong)
        assert (claim.status, claim.corrected, claim.undermines) == ("refuted", True, True)


def test_the_rest_of_the_evidence_is_what_was_measured(ledger, wrong):
    with ledger.begin() as session:
        before = records.evidence_of(session, wrong).body
    correct(ledger, asked(wrong), "ada", admin=False)
    with ledger.begin() as session:
        after = records.evidence_of(session, wrong).body
    assert {name for name in before if before[name] != after[name]} == {"estimates"}


def test_the_same_figures_are_no_correction(ledger, coins):
    claim = coins.file()
    coins.measure(claim, 0.6)
    before = types(ledger, claim)
    with pytest.raises(NotCorrectableError, match="the same figures") as refused:
        correct(ledger, asked(claim), "ada", admin=False)
    assert refused.value.remedy
    assert types(ledger, claim) == before


def test_a_corrected_verdict_is_corrected_once(ledger, wrong):
    correct(ledger, asked(wrong), "ada", admin=False)
    with pytest.raises(NotCorrectableError, match="the same figures"):
        correct(ledger, asked(wrong), "ada", admin=False)


def test_of_two_corrections_at_the_same_time_one_is_recorded(ledger, wrong):
    outcomes = []
    start = threading.Barrier(3)

    def attempt():
        start.wait()
        try:
            correct(ledger, asked(wrong), "ada", admin=False)
            outcomes.append("corrected")
        except NotCorrectableError:
            outcomes.append("late")

    threads = [threading.Thread(target=attempt) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["corrected", "late", "late"]
    assert types(ledger, wrong).count("corrected") == 1


def test_only_the_registrant_or_the_administration(ledger, wrong):
    with pytest.raises(NotTheRegistrantError):
        correct(ledger, asked(wrong), "bob", admin=False)
    assert correct(ledger, asked(wrong), "bob", admin=True).actor == "bob"


def test_only_the_run_that_decided(ledger, wrong):
    with pytest.raises(RefusedInputError) as refused:
        correct(ledger, asked(wrong, f"{wrong}-2"), "ada", admin=False)
    (flaw,) = refused.value.flaws
    assert (flaw.pointer, flaw.code, f"{wrong}-1" in flaw.remedy) == ("/run", "other_run", True)


@pytest.mark.parametrize("name", ["cause", "reason"])
@pytest.mark.parametrize("said", ["", "  ", "x" * 2001, "a\nb", "\u202eevil"])
def test_cause_and_reason_are_mandatory_and_plain(ledger, wrong, name, said):
    with pytest.raises(RefusedInputError) as refused:
        correct(ledger, asked(wrong, **{name: said}), "ada", admin=False)
    assert {flaw.pointer for flaw in refused.value.flaws} == {f"/{name}"}


def test_without_a_verdict_on_evidence_there_is_nothing_to_correct(ledger, coins):
    waiting, void = coins.file(), coins.file(title="Void")
    coins.take(void, "m1")
    with ledger.begin() as session:
        record_void(session, hold(session, f"{void}-1"), "worker_lost", {})
    for claim in (waiting, void):
        with pytest.raises(NotCorrectableError, match="no verdict on evidence"):
            correct(ledger, asked(claim), "ada", admin=False)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blob_chunks SET data = overlay(data placing '\\x39'::bytea from 60) WHERE sha256 = :sha256",
        "UPDATE blob_chunks SET data = '\\x7b'::bytea WHERE sha256 = :sha256",
        "DELETE FROM blob_chunks WHERE sha256 = :sha256",
    ],
)
def test_damaged_rows_are_told_and_judged_by_nobody(ledger, postgres, wrong, damage):
    with ledger.begin() as session:
        sha256 = records.evidence_of(session, wrong).rows_sha256
        whole = blobs.read(session, sha256)
    assert whole
    with postgres.superuser("ledger_tests") as connection:
        connection.execute(damage.replace(":sha256", f"'{sha256}'").replace("\\\\", "\\"))
    before = types(ledger, wrong)
    with pytest.raises(NotCorrectableError, match="stored rows are damaged") as refused:
        correct(ledger, asked(wrong), "ada", admin=False)
    assert "audit" in refused.value.remedy
    assert types(ledger, wrong) == before


def test_rows_that_the_code_cannot_read_any_more_are_told(ledger, wrong, monkeypatch):
    def broken(_rows, _registration, _seeds):
        raise KeyError("tails")

    monkeypatch.setattr(catalogue()["coin_toss"], "estimate", broken)
    with pytest.raises(NotCorrectableError, match="cannot read its stored rows"):
        correct(ledger, asked(wrong), "ada", admin=False)


def test_an_instrument_that_moved_on_corrects_nothing(ledger, wrong, move_on, monkeypatch):
    move_on()
    with pytest.raises(NotCorrectableError, match="is at version 2 by now"):
        correct(ledger, asked(wrong), "ada", admin=False)
    monkeypatch.setattr("app.ledger.correcting.catalogue", dict)
    with pytest.raises(NotCorrectableError, match="is not known any more"):
        correct(ledger, asked(wrong), "ada", admin=False)


def test_a_correction_away_from_confirmed_contests_what_stands_on_it_at_any_distance(ledger, coins, wrong):
    above = coins.file(title="Above", builds_on=[wrong])
    higher = coins.file(title="Higher", builds_on=[above])
    beside = coins.file(title="Beside")
    correct(ledger, asked(wrong), "ada", admin=False)
    with ledger.begin() as session:
        contested = {name: session.get_one(ClaimRow, name).contested for name in (above, higher, beside)}
    assert contested == {above: True, higher: True, beside: False}
    with ledger.begin() as session:
        size = session.execute(text("SELECT count(*) FROM entries")).scalar_one()
        seqs = session.execute(text("SELECT seq FROM entries ORDER BY seq")).scalars().all()
    assert seqs == list(range(size))


def test_a_correction_of_a_reproduction_compares_it_again_with_its_original(ledger, coins):
    original = coins.file()
    other = coins.again(original)
    coins.measure(original, 0.6, "m1")
    coins.measure(other, 0.6, "m2", rows=0.4)
    correct(ledger, asked(other), "bob", admin=False)
    said = coins.entries(original, "reproduced")
    assert [(one["by"], one["agrees"]) for one in said] == [(other, True), (other, False)]
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, original).status == "confirmed"


def test_a_comparison_that_a_void_left_behind_is_not_current(ledger, coins):
    original = coins.file()
    other, third = coins.again(original), coins.again(original, "eve")
    coins.measure(original, 0.6, "m1")
    coins.measure(other, 0.6, "m2", rows=[0.6] * 8)  # all alike: no interval follows from them
    coins.measure(third, 0.6, "m3")
    correct(ledger, asked(other), "bob", admin=False)
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, other).status == "void"
        said = reproductions_in(session, log.history(session, original))
    assert [(one.by, one.agrees, one.current, one.status) for one in said] == [
        (other, True, False, "void"),
        (third, True, True, "confirmed"),
    ]


def test_the_log_alone_gives_the_same_tables_again(ledger, replayed, coins, wrong):
    other = coins.again(wrong)
    coins.measure(other, 0.6, "m2")
    against = coins.file("bob", title="Against")
    correct(ledger, asked(wrong), "ada", admin=False)
    with ledger.begin() as session:
        contradict(session, wrong, against, "bob", "Found otherwise.")
    before, after = replayed()
    assert after == before


def test_the_longest_words_leave_room_for_the_evidence(ledger, coins, wrong, monkeypatch):
    instrument = catalogue()["coin_toss"]
    estimate = instrument.estimate

    def wordy(rows, registration, seeds):
        unmeasured = {f"metric_{number}": "x" * 90 for number in range(400)}
        return estimate(rows, registration, seeds).model_copy(update={"not_measured": unmeasured})

    monkeypatch.setattr(instrument, "estimate", wordy)
    entry = correct(ledger, asked(wrong, cause="\U0001f4c9" * 2000, reason="\U0001f4c8" * 2000), "ada", admin=False)
    assert set(entry.payload["evidence"]) == {"sha256", "size"}
    with ledger.begin() as session:
        assert len(records.evidence_of(session, wrong).body["not_measured"]) == 400
