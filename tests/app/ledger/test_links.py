import threading
from datetime import timedelta

import pytest
from sqlmodel import select

from app.ledger import log, records
from app.ledger.errors import NotTheRegistrantError, TooLateError, UnknownClaimError
from app.ledger.links import contradict, supersede, withdraw
from app.ledger.queries import get_claim
from app.ledger.runs import claim_shard
from app.ledger.tables import EntryRow, RunRow
from claims.flaws import RefusedInputError

SOURCE = {"instrument_source_sha256": "5" * 64}
TERM = timedelta(seconds=60)
REASON = "The sampling was too small."


@pytest.fixture
def claims(ledger, put_claim):
    with ledger.begin() as session:
        return put_claim(session), put_claim(session), put_claim(session, registrant="bob")


def counted(ledger):
    with ledger.begin() as session:
        return len(session.exec(select(EntryRow.seq)).all())


def test_a_newer_claim_supersedes_an_older_one_of_the_same_registrant(ledger, claims):
    old, new, _ = claims
    with ledger.begin() as session:
        entry = supersede(session, old, new, "ada", REASON)
    assert (entry.type, entry.claim, entry.actor) == ("superseded", old, "ada")
    assert entry.payload == {"by": new, "reason": REASON}
    with ledger.begin() as session:
        assert get_claim(session, old).superseded_by == new
        assert not get_claim(session, new).superseded
        (there,), (back,) = records.links_of(session, new), records.links_of(session, old)
        assert (there.type, there.incoming, there.claim, there.reason) == ("supersedes", False, old, REASON)
        assert (back.type, back.incoming, back.claim, back.actor) == ("supersedes", True, new, "ada")


def test_only_ones_own_claims_can_be_superseded_and_only_by_ones_own(ledger, claims):
    ours, _, theirs = claims
    for old, new in ((theirs, ours), (ours, theirs)):
        with pytest.raises(NotTheRegistrantError), ledger.begin() as session:
            supersede(session, old, new, "ada", REASON)
    assert counted(ledger) == 3


def test_a_claim_is_superseded_once(ledger, claims, put_claim):
    old, new, _ = claims
    with ledger.begin() as session:
        supersede(session, old, new, "ada", REASON)
        other = put_claim(session)
    with pytest.raises(TooLateError, match=r"superseded by .* already"), ledger.begin() as session:
        supersede(session, old, other, "ada", REASON)


def test_claims_do_not_supersede_each_other_in_a_circle(ledger, put_claim):
    with ledger.begin() as session:
        first, second, third = (put_claim(session) for _ in range(3))
        supersede(session, first, second, "ada", REASON)
        supersede(session, second, third, "ada", REASON)
    for circle in ((third, first), (third, second), (third, third)):
        with pytest.raises(RefusedInputError) as refused, ledger.begin() as session:
            supersede(session, *circle, "ada", REASON)
        assert refused.value.flaws[0].pointer == "/by"


def test_what_stands_on_a_claim_does_not_replace_it(ledger, put_claim):
    """Else a claim would stand on what it replaced, through any chain of building and replacing."""
    with ledger.begin() as session:
        ground = put_claim(session)
        above = put_claim(session, builds_on=[ground])
        higher = put_claim(session, builds_on=[above])
        beside, onto = put_claim(session), put_claim(session, builds_on=[ground])
        supersede(session, above, beside, "ada", REASON)
        supersede(session, beside, onto, "ada", REASON)  # so that `higher` stands, by way of `beside`, on `onto`
        apart = put_claim(session)
    for old, new in ((ground, higher), (ground, onto), (onto, higher), (ground, beside)):
        with pytest.raises(RefusedInputError) as refused, ledger.begin() as session:
            supersede(session, old, new, "ada", REASON)
        assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [("/by", "circular_link")]
    with ledger.begin() as session:
        supersede(session, ground, apart, "ada", REASON)


def test_a_claim_of_ones_own_contradicts_somebody_elses_and_both_stand(ledger, claims):
    ours, _, theirs = claims
    with ledger.begin() as session:
        entry = contradict(session, theirs, ours, "ada", REASON)
    assert (entry.type, entry.claim, entry.actor) == ("contradicted", theirs, "ada")
    assert entry.payload == {"by": ours, "reason": REASON}
    with ledger.begin() as session:
        for claim in (ours, theirs):
            found = get_claim(session, claim)
            assert (found.status, found.superseded, found.contested) == ("registered", False, False)


def test_only_with_ones_own_claim_only_somebody_elses_and_only_once(ledger, claims, put_claim):
    ours, other, theirs = claims
    with ledger.begin() as session:
        third = put_claim(session, registrant="eve")
        contradict(session, theirs, ours, "ada", REASON)
        contradict(session, theirs, other, "ada", REASON)
        contradict(session, ours, theirs, "bob", REASON)  # each may speak against the other
    with pytest.raises(NotTheRegistrantError) as refused, ledger.begin() as session:
        contradict(session, third, theirs, "ada", REASON)
    assert refused.value.claim == theirs
    with pytest.raises(TooLateError, match=f"contradicted by {ours} already"), ledger.begin() as session:
        contradict(session, theirs, ours, "ada", REASON)
    for claim, by, code in ((ours, other, "own_claim"), (ours, ours, "same_claim")):
        with pytest.raises(RefusedInputError) as refused, ledger.begin() as session:
            contradict(session, claim, by, "ada", REASON)
        assert [flaw.code for flaw in refused.value.flaws] == [code]


def test_what_was_withdrawn_neither_contradicts_nor_is_contradicted(ledger, claims):
    ours, other, theirs = claims
    with ledger.begin() as session:
        withdraw(session, ours, "ada", REASON)
        contradict(session, theirs, other, "ada", REASON)
    with pytest.raises(RefusedInputError, match="was withdrawn"), ledger.begin() as session:
        contradict(session, theirs, ours, "ada", REASON)
    with pytest.raises(TooLateError, match="was withdrawn"), ledger.begin() as session:
        contradict(session, ours, theirs, "bob", REASON)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2001, "a\nb", "nul\0", "e\u0301", "\ud800", "\u202eevil"])
def test_a_reason_is_mandatory_and_plain(ledger, claims, reason):
    old, new, _ = claims
    with pytest.raises(RefusedInputError) as refused, ledger.begin() as session:
        supersede(session, old, new, "ada", reason)
    assert {flaw.pointer for flaw in refused.value.flaws} == {"/reason"}
    with pytest.raises(RefusedInputError), ledger.begin() as session:
        withdraw(session, old, "ada", reason)
    assert counted(ledger) == 3


def test_an_unknown_claim_is_said_to_be_unknown(ledger, claims):
    with pytest.raises(UnknownClaimError, match="there is no claim nothing"), ledger.begin() as session:
        withdraw(session, "nothing", "ada", REASON)
    with pytest.raises(UnknownClaimError), ledger.begin() as session:
        supersede(session, claims[0], "nothing", "ada", REASON)


def test_a_claim_is_withdrawn_before_it_opens_and_never_runs(ledger, claims):
    claim, *_ = claims
    with ledger.begin() as session:
        withdraw(session, claim, "ada", REASON)
    with ledger.begin() as session:
        assert get_claim(session, claim).status == "withdrawn"
        assert session.get_one(RunRow, f"{claim}-1").status == "cancelled"
        assert claim_shard(session, f"{claim}-1", 0, worker="w", source=SOURCE, term=TERM) is None
        assert [entry.type for entry in log.history(session, claim)] == ["registered", "withdrawn"]
    with pytest.raises(TooLateError), ledger.begin() as session:
        withdraw(session, claim, "ada", REASON)


def test_somebody_elses_claim_cannot_be_withdrawn(ledger, claims):
    with pytest.raises(NotTheRegistrantError), ledger.begin() as session:
        withdraw(session, claims[2], "ada", REASON)


def test_after_opening_nothing_is_withdrawn(ledger, claims, open_run):
    with ledger.begin() as session:
        open_run(session, claims[0])
    with pytest.raises(TooLateError, match="only before opening"), ledger.begin() as session:
        withdraw(session, claims[0], "ada", REASON)


def test_of_a_withdrawal_and_an_opening_at_the_same_time_one_wins(ledger, put_claim):
    with ledger.begin() as session:
        claims = [put_claim(session) for _ in range(12)]
    outcomes = {}

    def race(claim):
        start = threading.Barrier(2)

        def opening():
            start.wait()
            with ledger.begin() as session:
                lease = claim_shard(session, f"{claim}-1", 0, worker="w", source=SOURCE, term=TERM)
                outcomes.setdefault(claim, set()).add("opened" if lease else "not opened")

        def withdrawal():
            start.wait()
            try:
                with ledger.begin() as session:
                    withdraw(session, claim, "ada", REASON)
                outcomes.setdefault(claim, set()).add("withdrawn")
            except TooLateError:
                outcomes.setdefault(claim, set()).add("not withdrawn")

        threads = [threading.Thread(target=opening), threading.Thread(target=withdrawal)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    for claim in claims:
        race(claim)
    assert all(pair in ({"opened", "not withdrawn"}, {"not opened", "withdrawn"}) for pair in outcomes.values())
