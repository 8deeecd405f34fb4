from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.pages.claim import outcome
from app.pages.claim.page import claim_page, headline
from app.pages.claim.sureness import checks
from claims.evidence import Evidence
from claims.registration.model import Band, Equality, Prediction, Threshold
from claims.verdict.regions import outcome as decide

numbers = st.integers(-20, 20).map(lambda n: n / 4)


def band(op: str, one: float, other: float) -> Band:
    return Band(op=op, low=min(one, other), high=max(one, other) + 1)


predictions = st.one_of(
    st.builds(Threshold, op=st.sampled_from([">", ">=", "<", "<="]), value=numbers),
    st.builds(band, st.sampled_from(["within", "outside"]), numbers, numbers),
    st.builds(Equality, op=st.just("equals"), value=numbers, tolerance=st.sampled_from([0.25, 1.0])),
)  # fmt: skip


@given(predict=predictions, at=st.integers(-40, 40).map(lambda n: n / 8 + 1 / 16))
def test_what_is_shaded_is_where_the_prediction_is_true(predict: Prediction, at: float):
    shaded = any(
        (low is None or at > low) and (high is None or at < high) for low, high in outcome.predicted_stretches(predict)
    )
    assert shaded == (decide(at, at, predict) == "confirmed")


@given(predict=predictions, ends=st.tuples(numbers, numbers).map(sorted))
def test_the_sentence_tells_the_rule_that_decided(predict: Prediction, ends: list[float]):
    found = decide(*ends, predict)
    said = outcome.why(predict, found)
    if found == "inconclusive":
        assert "both sides" in said or "neither" in said
        return
    part = outcome.rule(predict).split(f"{found.capitalize() if found == 'confirmed' else found} if ")[1].split(",")[0]
    side = said.removeprefix("The whole interval lies ").rstrip(".").replace("\u00a0", " ")
    assert side in part or side.split(" [")[0] in part


def test_a_refutation_names_the_hypothesis_and_why(refuted):
    page = claim_page(refuted, "http://ledger.test")
    assert page.status == "refuted"
    assert (
        page.headline == "The primary hypothesis, H1, was judged refuted. The whole interval lies at or below\u00a00."
    )


def test_several_primaries_are_told_apart(refuted):
    judged = outcome.judgements(refuted.registration, None, refuted.entries[-1].payload["hypotheses"])
    both = [replace(one, primary=True) for one in judged]
    assert headline("refuted", both) == (
        "Of 3 primary hypotheses H1, H2 came out refuted; one is enough to refute the claim."
    )


def test_the_text_alternative_says_every_figure(refuted):
    page = claim_page(refuted, "http://ledger.test")
    alternative = outcome.text_alternative(page.judgements)
    assert "recovery_gap_constructed \u22120.082 [\u22120.120,\u00a0\u22120.044], predicted > 0: refuted" in alternative
    assert "H3" in alternative


def test_a_check_that_was_not_measured_did_not_pass(refuted):
    found: Evidence = refuted.evidence
    blind = found.model_copy(update={"diagnostics": {"organism_accuracy": 0.95}})
    control, kill = checks(refuted.registration, blind)
    assert (control.passed, control.measured) == (True, "0.950")
    assert (kill.passed, kill.measured) == (False, "not measured")


@pytest.mark.parametrize(("governed", "passed"), [(22.0, True), (16.0, True), (15.0, False)])
def test_a_kill_criterion_that_fires_did_not_pass(refuted, governed: float, passed: bool):
    found = refuted.evidence.model_copy(
        update={"diagnostics": {"organism_accuracy": 0.95, "organisms_governed": governed}}
    )
    assert checks(refuted.registration, found)[1].passed is passed


def test_checks_are_open_before_the_run(running):
    assert [check.passed for check in checks(running.registration, None)] == [None, None]


def test_a_status_that_no_judgement_bears_out_is_said_so_and_is_no_error():
    """As after somebody changed the claims' table and nothing else."""
    assert "ask the operator for an audit" in headline("confirmed", [])
