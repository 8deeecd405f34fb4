"""How comparisons and fallen ground are put into words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.ledger.judgements import Reproduction
from app.pages.claim.comparisons import measured_again
from app.pages.claim.page import claim_page
from app.pages.claim.proof import proof
from app.pages.claim.record import Comparison, Covered, Named
from app.pages.claim.sureness import trust_why
from app.pages.related import how_it_fell
from claims.entries import Entry

from .lives import FILED

MOMENT = datetime(2026, 12, 1, 12, tzinfo=UTC)
FIGURES = {"metric": "m", "original": 0.1, "reproduction": 0.1499, "difference": 0.0499, "tolerance": 0.05}


def comparison(kind: str = "reproduction", *, agrees: bool = True, current: bool = True, **figures) -> Comparison:
    found = Reproduction(
        by="b" * 12, run="r", registrant="bob", status="void", kind=kind, agrees=agrees, why="So it is.",
        compared=[{**FIGURES, **figures}], seq=9, time=MOMENT, current=current,
    )  # fmt: skip
    return Comparison(found, Named("b" * 12, "Again", "void"), ["ab" * 32], [])


@pytest.mark.parametrize(
    ("agreeing", "disagreeing", "said"),
    [
        (0, 0, "No independent reproduction recorded."),
        (1, 0, "Once by another registrant on other machines: it agrees."),
        (0, 1, "Once by another registrant on other machines: it disagrees."),
        (2, 0, "Twice by another registrant on other machines: all agree."),
        (0, 3, "3 times by another registrant on other machines: all disagree."),
        (2, 1, "3 times by another registrant on other machines: 2 agree, 1 disagrees."),
    ],
)
def test_how_often_others_measured_it(agreeing: int, disagreeing: int, said: str):
    found = [comparison(agrees=True)] * agreeing + [comparison(agrees=False)] * disagreeing
    again = measured_again([*found, comparison("rerun")])
    assert again.says == said
    assert (len(again.independent), len(again.reruns)) == (agreeing + disagreeing, 1)


def test_a_difference_is_never_rounded_across_its_tolerance():
    (near,) = measured_again([comparison(difference=0.04999, tolerance=0.05)]).independent[0].figures
    assert (near.difference, near.says, near.agrees) == ("0.04999", "within", True)
    (far,) = measured_again([comparison(difference=0.05001, tolerance=0.05)]).independent[0].figures
    assert (far.difference, far.says, far.agrees) == ("0.05001", "beyond", False)


def test_what_cannot_be_compared_is_said():
    (bare,) = measured_again([comparison(tolerance=None)]).independent[0].figures
    assert (bare.tolerance, bare.says, bare.agrees) == ("\u2013", "by outcome alone", True)
    (absent,) = measured_again([comparison(reproduction=None, difference=None)]).independent[0].figures
    assert (absent.again, absent.difference, absent.says, absent.agrees) == (
        "not measured", "\u2013", "nothing to compare", False,
    )  # fmt: skip


def test_a_machine_is_shown_by_its_first_digits():
    (one,) = measured_again([comparison()]).independent
    assert one.machines == "original on abababab, this one on an unknown machine"


def test_what_is_no_longer_current_is_marked(refuted):
    page = claim_page(replace(refuted, comparisons=[comparison(current=False)]), "http://ledger.test")
    assert [one.current for one in page.again.independent] == [False]
    assert "http://ledger.test/v1/claims/" in str(page.how_to_reproduce)


def life(*steps: str) -> list[Entry]:
    """Entries of a claim: `superseded`, or the status of each verdict."""
    entries = [Entry(0, "evidence_recorded", "c", "ledger", FILED, {
        "run": "r", "evidence": {}, "evidence_sha256": "e", "rows_sha256": "f"})]  # fmt: skip
    for number, step in enumerate(steps, start=1):
        type_ = step if step == "superseded" else "adjudicated"
        payload = {} if step == "superseded" else {"run": "r", "status": step, "hypotheses": []}
        entries.append(Entry(number, type_, "c", "ledger", FILED, payload))
    return entries


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (["refuted"], "was refuted"),
        (["confirmed", "superseded"], "was superseded"),
        (["refuted", "superseded"], "was refuted and was superseded"),
        (["confirmed", "inconclusive"], "was corrected from confirmed to inconclusive"),
        (["confirmed", "refuted"], "was corrected, and is refuted"),
    ],
)
def test_why_ground_gave_way(steps: list[str], said: str):
    assert how_it_fell(life(*steps)) == said


def test_a_correction_that_no_head_covers_leaves_the_bundle_before_it(refuted):
    shown = proof(replace(refuted, covered=Covered(None, None, (), 7)), "http://ledger.test")
    assert (shown.size, shown.earlier_bundle) == (7, None)
    assert shown.bundle.endswith("bundle.zip?tree_size=7")
    assert [fact.value for fact in shown.facts] == ["not covered yet"]
    assert "the bundle shows the one before" in shown.facts[0].note
    assert "--tree-size" not in shown.commands[0].lines


def test_who_vouches_for_the_head_is_named(refuted):
    shown = proof(replace(refuted, covered=Covered(9, MOMENT, ("tsa.example", "witness.example"), None)), "")
    assert [fact.value for fact in shown.facts] == ["over 9 entries", "tsa.example, witness.example"]
    assert shown.earlier_bundle is None


def test_trust_is_explained_by_what_is_missing():
    assert "holds no passing scorecard" in trust_why("registered", "refuted")
    assert "neither confirmed nor refuted" in trust_why("registered", "void")
    assert trust_why("adjudicated", "confirmed").startswith("Calibrated, registered, and decided")
