"""Changes to the rule's source, each of which must break the property named beside it: whether the properties see.

`make mutants` makes every change that a tool knows of. These are the ones that would cost most, in seconds.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings

from tests.claims.verdict import interval_properties, status_properties, void_properties  # noqa: F401
from tests.claims.verdict.proving import PROPERTIES, Rule, prove

MODULES = ("voids", "regions", "metric", "study", "rule")  # each after those it imports
MUTATIONS = {
    "the_outcome_is_what_the_page_says": [
        ("regions", '">": (lo > value,', '">": (lo >= value,'),
        ("regions", "lo >= low and hi <= high", "lo >= low or hi <= high"),
        ("regions", '"refuted" if refuted', '"refuted" if not confirmed'),
    ],
    "the_opposite_prediction_has_the_decisions_exchanged": [
        ("regions", "hi < value, lo >= value", "hi < value, lo > value"),
    ],
    "a_mirrored_question_has_the_same_answer": [
        ("regions", '"<=": (hi <= value,', '"<=": (lo <= value,'),
    ],
    "a_wider_interval_decides_no_more_and_none_otherwise": [
        ("regions", '"<": (hi < value,', '"<": (lo < value,'),
    ],
    "so_is_that_of_an_exact_metric": [
        ("regions", "hi < low or lo > high", "hi < low or lo >= high"),
        ("metric", "if estimate.lo == estimate.hi and not counted", "if estimate.lo == estimate.hi"),
    ],
    "the_band_voids_only_a_decision_that_moving_a_bound_by_it_undoes": [
        ("metric", "lo, hi = estimate.lo - band, estimate.hi + band", "lo, hi = estimate.lo - band, estimate.hi"),
    ],
    "where_the_metric_s_range_ends_the_band_moves_no_bound_on": [
        ("metric", "max(lo, metric.low)", "lo"),
        ("metric", "min(hi, metric.high)", "hi"),
        ("metric", "min(estimate.lo, max(lo, metric.low))", "max(lo, metric.low)"),
        ("metric", "max(estimate.hi, min(hi, metric.high))", "min(hi, metric.high)"),
    ],
    "a_band_that_is_none_voids_every_decision": [
        ("metric", 'decided == "inconclusive"', "not decided"),
        ("metric", "known = band >= 0 and", "known ="),
        ("voids", "        VoidReason.NONDETERMINISM,\n", ""),
    ],
    "a_reason_of_a_metric_voids_its_hypothesis_alone": [
        ("metric", "_SAME_LEVEL = 1e-12", "_SAME_LEVEL = 1e-11"),
        ("metric", "estimate.lo <= estimate.value <= estimate.hi", "estimate.lo <= estimate.hi"),
    ],
    "no_number_is_never_a_pass_and_never_an_exception": [
        (
            "metric",
            "if not abs(estimate.level - registration.level) <= _SAME_LEVEL",
            "if abs(estimate.level - registration.level) > _SAME_LEVEL",
        ),
        ("study", "value is not None and isfinite(value)", "value is not None"),
    ],
    "a_reason_of_the_study_voids_every_hypothesis": [
        ("study", "measured is not None and meets", "measured is None or meets"),
        ("study", "measured is None or meets", "measured is not None and meets"),
        ("study", "{**stated, **chosen.params}", "{**stated, **chosen.params, **evidence.params}"),
        ("rule", "if study:", "if len(study) > 1:"),
    ],
    "of_a_refusal_nothing_else_is_looked_at": [
        ("study", "if evidence.refusal is not None", "if evidence.refusal is None"),
    ],
    "the_status_is_what_the_page_says_and_secondaries_decide_nothing": [
        ("rule", 'for word in ("refuted", "void")', 'for word in ("void", "refuted")'),
        ("rule", "if hypothesis.primary", "if judged"),
        ("rule", 'outcomes == {"confirmed"}', '"confirmed" in outcomes'),
    ],
    "of_several_reasons_the_first_on_the_page_voids_and_all_are_told": [
        ("rule", "study[0].reason", "study[-1].reason"),
    ],
    "an_exact_value_is_always_decided": [
        ("regions", '"<=": (hi <= value,', '"<=": (hi < value,'),
    ],
    "a_void_primary_more_never_makes_a_claim_confirmed": [
        ("rule", 'for word in ("refuted", "void")', 'for word in ("refuted",)'),
    ],
    "the_order_of_hypotheses_decides_nothing": [
        ("rule", "if hypothesis.primary", "if hypothesis is registration.primaries[0]"),
    ],
    "a_hypothesis_is_primary_where_it_stands_and_not_by_its_name": [
        ("rule", "if hypothesis.primary", "if hypothesis.id in {one.id for one in registration.primaries}"),
    ],
    "what_no_rule_names_changes_nothing": [
        ("study", "not _holds(control, evidence)", "not evidence.controls.get(name, True)"),
    ],
    "the_rule_is_a_function_and_leaves_its_arguments_alone": [
        ("rule", "    known = catalogue() if", "    evidence.counts.clear()\n    known = catalogue() if"),
    ],
    "evidence_may_state_the_default_of_what_was_left_out": [
        (
            "study",
            " for name, value in defaults.items() if name in evidence.params",
            " for name, value in defaults.items()",
        ),
    ],
}
# The first case that shows the change ends the search; that there is none within these has odds of less than 1 in 10^6.
QUICK = settings(max_examples=2_000, database=None, phases=[Phase.generate])


def with_source(monkeypatch: pytest.MonkeyPatch, changed: str, old: str = "", new: str = "") -> Rule:
    """`adjudicate` of the package as its files stand, `old` in one of them replaced by `new`."""
    for name in MODULES:
        path = Path(find_spec(f"claims.verdict.{name}").origin)
        source = path.read_text(encoding="utf-8")
        if name == changed and old:
            assert source.count(old) == 1, f"{name}.py has no such text, or not once: {old}"
            source = source.replace(old, new)
        module = ModuleType(f"claims.verdict.{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(source, str(path), "exec"), vars(module))
    return sys.modules["claims.verdict.rule"].adjudicate


@pytest.mark.parametrize(("broken", "change"), [(name, one) for name, changes in MUTATIONS.items() for one in changes])
def test_the_property_sees_the_change(monkeypatch, broken, change):
    mutant = with_source(monkeypatch, *change)
    with pytest.raises((AssertionError, ValueError, ExceptionGroup)):
        prove(broken, mutant, QUICK)


def test_every_property_is_seen_to_break():
    assert MUTATIONS.keys() == PROPERTIES.keys()


def test_without_a_change_every_property_holds(monkeypatch):
    """So that it is the change which they see, and not how it was made."""
    rule = with_source(monkeypatch, "")
    for name in PROPERTIES:
        prove(name, rule, settings(QUICK, max_examples=10))
