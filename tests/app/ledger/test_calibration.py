"""Whose probabilities, of which claims: what the ledger holds to account, and what it counts apart."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from app.ledger.append import append
from app.ledger.attempts import attempts
from app.ledger.calibration import calibrated
from app.ledger.families import families
from app.ledger.judging import record_evidence
from app.ledger.links import supersede, withdraw
from app.ledger.precedence import precedence_now
from app.ledger.runs import hold
from app.ledger.tables import ClaimRow
from claims.registration.model import Registration

MODEL = {"kind": "huggingface", "repo": "lab/reward", "revision": "a" * 40}
PAIRS, MORE = ({"kind": "pairs", "name": "P", "sha256": letter * 64, "dimensions": ["safety"]} for letter in "cd")


def test_what_is_held_to_account_and_what_stands_apart(ledger, put_claim, judge):
    with ledger.begin() as session:
        for probability, verdict in ((0.9, "confirmed"), (0.7, "refuted"), (0.7, "inconclusive"), (0.4, "void")):
            judge(session, put_claim(session, probability=probability), verdict)
        put_claim(session, probability=0.5)
        withdraw(session, put_claim(session, probability=0.5), "ada", "No.")
        judge(session, put_claim(session, registrant="bob", probability=0.2), "refuted")
        judge(session, put_claim(session), "confirmed")
        known, again = put_claim(session, probability=1), put_claim(session, probability=0.9)
        judge(session, known, "confirmed")
        judge(session, again, "confirmed")
        session.execute(text("UPDATE claims SET precedence = 'post_hoc' WHERE id = :id"), {"id": known})
        session.execute(text("UPDATE claims SET reproduces = :to WHERE id = :id"), {"to": known, "id": again})
        whole, ada, nobody = calibrated(session), calibrated(session, "ada"), calibrated(session, "nobody")
    assert (ada.stated.decided.n, ada.stated.decided.confirmed) == (3, 1)
    assert round(ada.stated.brier, 6) == round((0.01 + 0.49 + 0.49) / 3, 6)
    assert (ada.stated.void, ada.stated.withdrawn, ada.stated.undecided) == (1, 1, 1)
    assert [bin_.of.n for bin_ in ada.stated.bins if bin_.of.n] == [2, 1]
    assert (ada.post_hoc.decided.n, ada.post_hoc.brier) == (1, 0)
    assert (ada.unstated.decided.n, ada.unstated.decided.share, ada.reproductions) == (1, 1.0, 1)
    assert whole.stated.decided.n == 4
    assert (nobody.stated.decided.n, nobody.stated.brier, nobody.unstated.decided.share) == (0, None, None)


@pytest.fixture
def amend(put_claim):
    """`amend(session, claim, probability)`: what filing an amendment does, the new claim and the end of the old one."""

    def amended(session, claim, probability=None):
        said = {} if probability is None else {"probability": probability}
        by = put_claim(session, amends={"claim": claim, "reason": "A slip."}, **said)
        append(session, "superseded", claim, "ada", {"by": by, "reason": "A slip."})
        return by

    return amended


def test_what_was_amended_before_it_opened_is_one_prediction_and_the_last_word_counts(
    ledger, put_claim, amend, judge, open_run
):
    """Both are measured, so that both are judged; but what the registrant held to when data came is the amendment."""
    with ledger.begin() as session:
        first = put_claim(session, probability=0.9)
        second = amend(session, first, 0.6)
        third = amend(session, second, 0.2)
        for claim in (first, second, third):
            judge(session, claim, "refuted")
        found = calibrated(session)
        assert (found.stated.decided.n, found.amended) == (1, 2)
        assert found.stated.brier == pytest.approx(0.2**2)
        unstated = put_claim(session)
        amend(session, unstated, 0.5)
        found = calibrated(session)
        assert (found.stated.undecided, found.unstated.undecided, found.amended) == (1, 0, 3)


def test_what_was_amended_once_data_could_exist_stands(ledger, put_claim, amend, judge, open_run):
    """What had been said cannot be unsaid by saying something else afterwards, nor by naming another claim."""
    with ledger.begin() as session:
        opened = put_claim(session, probability=0.9)
        open_run(session, opened)
        amend(session, opened, 0.1)
        other, waits = put_claim(session, probability=0.5), put_claim(session, probability=0.8)
        judge(session, other, "refuted")
        supersede(session, waits, other, "ada", "The other one says it better.")
        found = calibrated(session)
    assert (found.amended, found.stated.decided.n, found.stated.undecided) == (0, 1, 3)


@pytest.fixture
def put(put_claim, document):
    """`put(session, dataset, **parts)`: a claim on these pairs, with the precedence that it has when filed now."""

    def filed(session, dataset, **parts):
        said = {"subject": {"model": MODEL, "dataset": dataset}, **parts}
        precedence = precedence_now(session, Registration.model_validate({**document, **said}))
        claim = put_claim(session, **said)
        session.execute(text("UPDATE claims SET precedence = :is WHERE id = :id"), {"is": precedence, "id": claim})
        if amends := parts.get("amends"):
            append(session, "superseded", amends["claim"], "ada", {"by": claim, "reason": amends["reason"]})
        return claim

    return filed


@pytest.fixture
def refute(open_run, evidence):
    """`refute(session, claim, dataset)`: what is measured on these pairs refutes the claim, whose precedence stays."""

    def measured(session, claim, dataset):
        precedence = session.get_one(ClaimRow, claim).precedence
        open_run(session, claim)
        held = {"weights_sha256": "e" * 64, "dtype": "float32", "device": "cpu", "attention": "eager"}
        found = evidence(0.3, 0.4, subject={"model": held, "dataset": {"sha256": dataset["sha256"], "n": 24}})
        assert record_evidence(session, hold(session, f"{claim}-1"), found, b"").status == "refuted"
        session.execute(text("UPDATE claims SET precedence = :is WHERE id = :id"), {"is": precedence, "id": claim})

    return measured


@pytest.mark.parametrize(("dataset", "precedence"), [(PAIRS, "post_hoc"), (MORE, "recorded")])
def test_what_was_amended_once_its_subject_was_measured_stands(ledger, put, refute, dataset, precedence):
    """Unopened, yet known by another claim: an amendment that knows it unsays nothing, nor one that looks elsewhere."""
    with ledger.begin() as session:
        said, other = put(session, PAIRS, probability=0.9), put(session, PAIRS)
        refute(session, other, PAIRS)
        amends = {"claim": said, "reason": "A slip."}
        amendment = put(session, dataset, probability=0.1, amends=amends)
        refute(session, said, PAIRS)
        refute(session, amendment, dataset)
        assert session.get_one(ClaimRow, amendment).precedence == precedence
        found = calibrated(session)
    scores = {"post_hoc": (1, 0.9**2, 1), "recorded": (2, (0.9**2 + 0.1**2) / 2, 0)}
    stated = (found.stated.decided.n, pytest.approx(found.stated.brier), found.post_hoc.decided.n)
    assert (found.amended, stated) == (0, scores[precedence])


def test_what_was_amended_before_anything_of_its_subject_was_measured_is_replaced(ledger, put, refute):
    with ledger.begin() as session:
        said = put(session, PAIRS, probability=0.9)
        amendment = put(session, PAIRS, probability=0.1, amends={"claim": said, "reason": "A slip."})
        refute(session, said, PAIRS)
        refute(session, amendment, PAIRS)
        found = calibrated(session)
    assert (found.amended, found.stated.decided.n, found.stated.brier) == (1, 1, pytest.approx(0.1**2))


def test_every_amendment_is_an_attempt_of_its_own(ledger, put_claim, amend, judge):
    """Section 3 of the ledger's rules: what is amended stays in the count; nobody sheds a failure by rewording it."""
    with ledger.begin() as session:
        first = put_claim(session)
        second = amend(session, first)
        for claim in (first, second):
            judge(session, claim, "refuted")
        (found,) = families(session, second, 72).by_metric
        listed = attempts(session, second, 72).items
    assert (found.family.number, found.family.of, found.family.outcomes["refuted"]) == (2, 2, 2)
    assert [(one.id, one.number, one.superseded) for one in listed] == [(first, 1, True), (second, 2, False)]
