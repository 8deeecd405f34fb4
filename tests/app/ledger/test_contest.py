import pytest
from sqlmodel import select

from app.ledger import log
from app.ledger.append import append
from app.ledger.tables import ClaimRow


@pytest.fixture
def chain(ledger, put_claim):
    """Four claims: the second builds on the first, the third on the second; the fourth on nothing."""
    with ledger.begin() as session:
        first = put_claim(session)
        second = put_claim(session, builds_on=[first])
        return first, second, put_claim(session, builds_on=[second]), put_claim(session)


def contested(ledger):
    with ledger.begin() as session:
        return set(session.exec(select(ClaimRow.id).where(ClaimRow.contested)))


def marks(ledger, claim):
    with ledger.begin() as session:
        return [dict(entry.payload) for entry in log.history(session, claim) if entry.type == "contested"]


def test_a_refutation_contests_everything_built_on_it_at_once(ledger, chain, judge):
    first, second, third, _ = chain
    with ledger.begin() as session:
        judge(session, first, "refuted")
    assert contested(ledger) == {second, third}
    (mark,) = marks(ledger, third)
    assert mark["ancestor"] == first
    with ledger.begin() as session:
        adjudicated = [entry.seq for entry in log.history(session, first) if entry.type == "adjudicated"]
    assert [mark["entry"]] == adjudicated


@pytest.mark.parametrize("verdict", ["confirmed", "inconclusive", "void"])
def test_other_verdicts_contest_nothing(ledger, chain, judge, verdict):
    with ledger.begin() as session:
        judge(session, chain[0], verdict)
    assert contested(ledger) == set()


def test_what_is_superseded_contests_what_is_built_on_it(ledger, chain):
    first, second, third, fourth = chain
    with ledger.begin() as session:
        append(session, "superseded", second, "ada", {"by": fourth, "reason": "A better design."})
    assert contested(ledger) == {third}
    assert first not in contested(ledger)


def correct(session, claim, found, status):
    """A correction of what `judge` recorded, as the ledger appends it, to another status."""
    body = found.model_dump(mode="json", by_alias=True)
    corrected = {"run": f"{claim}-1", "cause": "A wrong interval.", "evidence": body, "evidence_sha256": "ee" * 32}
    append(session, "corrected", claim, "ada", {**corrected, "rows_sha256": found.rows_sha256})
    append(session, "adjudicated", claim, "ledger", {"run": f"{claim}-1", "status": status, "hypotheses": []})


@pytest.mark.parametrize("status", ["inconclusive", "void", "refuted"])
def test_a_claim_corrected_away_from_confirmed_contests_what_is_built_on_it(ledger, chain, judge, evidence, status):
    first, second, third, _ = chain
    with ledger.begin() as session:
        judge(session, first, "confirmed")
        correct(session, first, evidence(0.4, 0.6), status)
    assert contested(ledger) == {second, third}


def test_a_correction_to_confirmed_leaves_the_marks_that_stand(ledger, chain, judge, evidence, put_claim):
    first, second, third, _ = chain
    with ledger.begin() as session:
        judge(session, first, "refuted")
        correct(session, first, evidence(0.6, 0.7), "confirmed")
        later = put_claim(session, builds_on=[first])
    assert contested(ledger) == {second, third}, "cleared only by a new claim, which the later one is"
    assert later not in contested(ledger)


def test_between_verdicts_that_confirm_nothing_a_correction_contests_nothing(ledger, chain, judge, evidence):
    with ledger.begin() as session:
        judge(session, chain[0], "inconclusive")
        correct(session, chain[0], evidence(0.6, 0.6), "void")
    assert contested(ledger) == set()


def test_a_claim_filed_on_refuted_ground_is_contested_from_the_start(ledger, chain, judge, put_claim):
    first, second, third, fourth = chain
    with ledger.begin() as session:
        judge(session, first, "refuted")
        late = put_claim(session, builds_on=[fourth, third])
        sound = put_claim(session, builds_on=[fourth])
    assert contested(ledger) == {second, third, late}
    assert sound not in contested(ledger)
    assert [mark["ancestor"] for mark in marks(ledger, late)] == [first]


def test_a_claim_is_marked_once_however_often_its_ground_gives_way(ledger, chain, judge):
    first, second, third, fourth = chain
    with ledger.begin() as session:
        judge(session, first, "refuted")
        judge(session, second, "refuted")
        append(session, "superseded", first, "ada", {"by": fourth, "reason": "A better design."})
    assert len(marks(ledger, third)) == 1


def test_what_is_contested_goes_on_to_its_own_verdict(ledger, chain, judge):
    first, second, *_ = chain
    with ledger.begin() as session:
        judge(session, first, "refuted")
        judge(session, second, "confirmed")
        row = session.get_one(ClaimRow, second)
        assert (row.status, row.contested, row.undermines) == ("confirmed", True, False)


def test_a_diamond_and_a_deep_chain_are_marked_whole(ledger, put_claim, judge):
    with ledger.begin() as session:
        root = put_claim(session)
        left, right = put_claim(session, builds_on=[root]), put_claim(session, builds_on=[root])
        tip = put_claim(session, builds_on=[left, right])
        built = {left, right, tip}
        for _ in range(30):
            tip = put_claim(session, builds_on=[tip])
            built.add(tip)
        judge(session, root, "refuted")
    assert contested(ledger) == built
