"""The instruments' own counts are bounded by what a registration states: no prediction or criterion escapes by it."""

import pytest

from claims.flaws import RefusedInputError

AGREEMENT = {"id": "H1", "statement": "It is.", "primary": True, "metric": "negative_dimensions"}
CRITERION = {"id": "K1", "metric": "organisms_governed", "reason": "Too few obey."}


@pytest.mark.parametrize(
    "predict",
    [
        {"op": "<=", "value": 4},
        {"op": "<", "value": 5},
        {"op": ">", "value": 4},
        {"op": ">", "value": 12},
        {"op": "outside", "low": 0.2, "high": 0.8},
        {"op": "within", "low": 0.2, "high": 0.8},
        {"op": "equals", "value": 2.5, "tolerance": 0.3},
    ],
)
def test_how_many_of_four_dimensions_is_a_whole_number_up_to_four(register, predict):
    with pytest.raises(RefusedInputError) as refused:
        register("agreement", hypotheses=[{**AGREEMENT, "predict": predict}])
    assert [flaw.code for flaw in refused.value.flaws] == ["vacuous"]


@pytest.mark.parametrize("predict", [{"op": ">=", "value": 3}, {"op": "equals", "value": 4, "tolerance": 0.5}])
def test_what_four_dimensions_can_meet_and_miss_is_taken(register, predict):
    assert register("agreement", hypotheses=[{**AGREEMENT, "predict": predict}])


@pytest.mark.parametrize(("op", "value"), [("<", 25), ("<=", 24), (">", 24), (">", 1000)])
def test_no_criterion_on_twenty_four_organisms_is_certain(register, op, value):
    with pytest.raises(RefusedInputError) as refused:
        register("planted_key", kill_criteria=[{**CRITERION, "op": op, "value": value}])
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [("/kill_criteria/0/value", "vacuous")]
