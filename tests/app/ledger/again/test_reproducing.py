"""Filing a claim's document once more."""

import pytest
from sqlmodel import select

from app.ledger import log, queries, records
from app.ledger.errors import AlreadyFiledError, TooLateError, UnknownClaimError
from app.ledger.links import supersede, withdraw
from app.ledger.tables import ClaimRow, Nonce, RunRow
from claims.flaws import RefusedInputError

REASON = "A slip."


def test_a_reproduction_is_the_same_document_with_its_own_id_nonce_and_run(ledger, coins):
    original = coins.file()
    claim = coins.again(original)
    with ledger.begin() as session:
        first, second = (session.get_one(ClaimRow, one) for one in (original, claim))
        assert (second.document, second.document_sha256) == (first.document, first.document_sha256)
        assert (first.reproduces, second.reproduces, second.registrant) == (None, original, "bob")
        (registered,) = log.history(session, claim)
        (before,) = log.history(session, original)
        assert registered.payload["reproduces"] == original
        assert "reproduces" not in before.payload
        assert registered.payload["nonce_sha256"] != before.payload["nonce_sha256"]
        assert session.get_one(Nonce, f"{claim}-1").nonce != session.get_one(Nonce, f"{original}-1").nonce
        assert session.get_one(RunRow, f"{claim}-1").status == "queued"
        (link,) = records.links_of(session, claim)
        assert (link.type, link.claim, link.incoming, link.actor) == ("reproduces", original, False, "bob")
        assert queries.receipt(session, claim)["entry"]["object"]["payload"]["reproduces"] == original


def test_anybody_may_reproduce_any_number_of_times(coins):
    original = coins.file()
    assert len({coins.again(original, registrant) for registrant in ("ada", "bob", "bob", "eve")}) == 4


def test_a_reproduction_of_a_reproduction_is_one_of_the_original(ledger, coins):
    original = coins.file()
    third = coins.again(coins.again(original), "eve")
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, third).reproduces == original


def test_what_was_withdrawn_is_not_reproduced(ledger, coins):
    original = coins.file()
    second = coins.again(original)
    with ledger.begin() as session:
        withdraw(session, original, "ada", REASON)
    for claim in (original, second):
        with pytest.raises(TooLateError, match="was withdrawn"):
            coins.again(claim)


def test_a_withdrawn_reproduction_leaves_its_original_to_be_reproduced(ledger, coins):
    original = coins.file()
    second = coins.again(original)
    with ledger.begin() as session:
        withdraw(session, second, "bob", REASON)
    with pytest.raises(TooLateError):
        coins.again(second)
    assert coins.again(original)


def test_there_must_be_such_a_claim(coins):
    with pytest.raises(UnknownClaimError):
        coins.again("nothing")


def test_a_reproduction_does_not_amend_again(ledger, coins):
    old = coins.file()
    new = coins.file(title="Better", amends={"claim": old, "reason": "More coins."})
    claim = coins.again(new)
    with ledger.begin() as session:
        assert session.get_one(ClaimRow, old).superseded_by == new
        assert session.get_one(ClaimRow, claim).superseded_by is None
        assert [entry.type for entry in log.history(session, old)] == ["registered", "superseded"]


def test_what_is_superseded_may_still_be_measured_again(ledger, coins):
    old, new = coins.file(), coins.file(title="Newer")
    with ledger.begin() as session:
        supersede(session, old, new, "ada", REASON)
    assert coins.again(old)


def test_an_instrument_at_another_version_is_refused_in_words(ledger, coins, move_on):
    original = coins.file()
    move_on()
    with pytest.raises(RefusedInputError) as refused:
        coins.again(original)
    assert [flaw.code for flaw in refused.value.flaws] == ["instrument_version"]
    with ledger.begin() as session:
        assert session.exec(select(ClaimRow.id)).all() == [original]


def test_the_same_document_is_still_filed_once(coins):
    original = coins.file()
    coins.again(original)
    with pytest.raises(AlreadyFiledError) as known:
        coins.file("bob")
    assert known.value.claim == original
