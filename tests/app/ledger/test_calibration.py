"""Whose probabilities, of which claims: what the ledger holds to account, and what it counts apart."""

from __future__ import annotations

from sqlalchemy import text

from app.ledger.calibration import calibrated
from app.ledger.links import withdraw


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
