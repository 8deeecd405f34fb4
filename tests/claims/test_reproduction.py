"""When a second measurement of one document is independent, and when it agrees."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.canonical import canonical_bytes
from claims.registration.model import Registration
from claims.reproduction import Measured, compare

DOCUMENT = json.loads((Path(__file__).parents[1] / "fixtures" / "coin_toss.json").read_bytes())
ONE, OTHER = "11" * 32, "22" * 32


def registered(tolerance=None, **parts):
    second = {**DOCUMENT["hypotheses"][0], "id": "H2", "metric": "coins", "primary": False}
    body = {**DOCUMENT, "hypotheses": [*DOCUMENT["hypotheses"], second], **parts}
    return Registration.model_validate({**body, "reproduction_tolerance": tolerance or {}})


def measured(heads=0.6, *, registrant="ada", machines=(ONE,), outcome="confirmed", **figures):
    outcomes = {"H1": outcome, "H2": "inconclusive"}
    return Measured(registrant, frozenset(machines), outcomes, {"heads": heads, **figures})


ORIGINAL = measured()
AGAIN = measured(registrant="bob", machines=(OTHER,))


@pytest.mark.parametrize(
    ("again", "kind", "why"),
    [
        (AGAIN, "reproduction", "Another registrant, on other machines."),
        (replace(AGAIN, registrant="ada"), "rerun", "The same registrant filed both"),
        (replace(AGAIN, machines=frozenset({ONE})), "rerun", "on the same machine"),
        (replace(AGAIN, machines=frozenset({ONE, OTHER})), "rerun", "in whole or in part"),
        (replace(AGAIN, machines=frozenset()), "rerun", "is unknown"),
    ],
)
def test_independent_is_another_registrant_on_other_machines_that_are_known(again, kind, why):
    found = compare(registered(), ORIGINAL, again)
    assert found.kind == kind
    assert why in found.why
    assert found.agrees, "whether it is independent says nothing of whether it agrees"
    assert compare(registered(), again, ORIGINAL).kind == kind


def test_an_original_of_an_unknown_machine_has_no_independent_reproduction():
    assert compare(registered(), replace(ORIGINAL, machines=frozenset()), AGAIN).kind == "rerun"


def test_primary_outcomes_decide_and_secondary_ones_do_not():
    refuted = replace(AGAIN, outcomes={**AGAIN.outcomes, "H1": "refuted"})
    found = compare(registered(), ORIGINAL, refuted)
    assert not found.agrees
    assert "H1 (confirmed, then refuted)" in found.why
    assert compare(registered(), ORIGINAL, replace(AGAIN, outcomes={"H1": "confirmed", "H2": "refuted"})).agrees


def test_a_metric_without_tolerance_is_compared_by_outcome_alone_and_said_to_be():
    found = compare(registered(), ORIGINAL, replace(AGAIN, figures={"heads": 0.9}))
    assert found.agrees
    assert "Compared by outcome alone, as no tolerance is stated: heads." in found.why
    (heads,) = found.compared
    assert (heads.metric, heads.original, heads.reproduction, heads.tolerance) == ("heads", 0.6, 0.9, None)
    assert heads.difference == pytest.approx(0.3)


def test_every_metric_with_a_tolerance_is_compared_also_a_diagnostic_one():
    stated = registered({"heads": 0.1, "coins": 0.0})
    found = compare(stated, measured(coins=24.0), measured(0.65, registrant="bob", machines=(OTHER,), coins=25.0))
    assert not found.agrees
    assert [one.metric for one in found.compared] == ["coins", "heads"]
    assert "allows: coins." in found.why
    assert "Within reproduction_tolerance: heads." in found.why


@pytest.mark.parametrize(("first", "second"), [({}, {"coins": 1.0}), ({"coins": 1.0}, {}), ({}, {})])
def test_a_figure_that_was_not_measured_agrees_with_nothing(first, second):
    found = compare(registered({"coins": 5.0}), measured(**first), replace(AGAIN, figures={"heads": 0.6, **second}))
    assert not found.agrees
    assert "Without a difference to compare: coins." in found.why


def test_a_difference_beyond_every_number_is_no_number():
    largest = sys.float_info.max
    found = compare(registered({"heads": largest}), measured(largest), replace(AGAIN, figures={"heads": -largest}))
    assert not found.agrees
    assert found.compared[0].difference is None


def test_a_long_list_is_cut_in_words_and_whole_in_figures():
    tolerances = {f"heads.part_{number}": 0.0 for number in range(40)}
    found = compare(registered(tolerances), ORIGINAL, AGAIN)
    assert len(found.figures) == 41
    assert "and 35 more" in found.why
    assert len(found.why) < 500


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS, NUMBERS, st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_estimates_agree_when_they_differ_by_at_most_the_tolerance(first, second, tolerance):
    found = compare(registered({"heads": tolerance}), measured(first), replace(AGAIN, figures={"heads": second}))
    exact = abs(Fraction(first) - Fraction(second))
    if exact > Fraction(tolerance) * (1 + Fraction(1, 2**52)) + Fraction(5, 10**324):
        assert not found.agrees
    if exact <= Fraction(tolerance) and exact <= Fraction(sys.float_info.max):
        assert found.agrees, "rounding a difference never takes it beyond a double that it does not exceed"
    canonical_bytes({"compared": found.figures})


@given(NUMBERS, NUMBERS, st.floats(min_value=0, allow_nan=False, allow_infinity=False), st.sampled_from("rcio"))
def test_agreement_does_not_depend_on_which_came_first(first, second, tolerance, outcome):
    stated = registered({"heads": tolerance})
    one, other = measured(first), replace(AGAIN, figures={"heads": second}, outcomes={"H1": outcome, "H2": "x"})
    there, back = compare(stated, one, other), compare(stated, other, one)
    assert (there.kind, there.agrees) == (back.kind, back.agrees)
    assert [row.difference for row in there.compared] == [row.difference for row in back.compared]


@given(NUMBERS)
def test_a_measurement_agrees_with_itself_at_no_tolerance(value):
    assert compare(registered({"heads": 0.0}), measured(value), replace(AGAIN, figures={"heads": value})).agrees


def test_the_edge_itself_agrees():
    stated = registered({"heads": 0.25})
    assert compare(stated, measured(0.5), replace(AGAIN, figures={"heads": 0.75})).agrees
    assert not compare(stated, measured(0.5), replace(AGAIN, figures={"heads": 0.7500000000000001})).agrees
