import pytest

from claims.registration.checks import flaws_in


@pytest.mark.parametrize(("value", "flawed"), [(0.5, False), (0, False), (1, False), (1.01, True), (-0.2, True)])
def test_a_value_that_the_metric_cannot_have_is_no_assumption(registered, instruments, value, flawed):
    assumed = {"auc": {"value": float(value), "sd": 0.1, "source": "a pilot"}}
    flaws = flaws_in(registered(assumptions=assumed), instruments)
    assert [(flaw.code, flaw.pointer) for flaw in flaws] == [
        ("impossible_assumption", "/assumptions/auc/value")
    ] * flawed


def test_an_assumption_of_an_unknown_metric_is_told_once(registered, instruments):
    assumed = {"area": {"value": 5.0, "sd": 0.1, "source": "a pilot"}}
    assert [flaw.code for flaw in flaws_in(registered(assumptions=assumed), instruments)] == ["unknown_metric"]
