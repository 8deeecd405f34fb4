import pytest
from pydantic import ValidationError

from claims.registration.checks import flaws_in
from claims.registration.model import Registration


@pytest.mark.parametrize(("value", "flawed"), [(0.5, False), (0, False), (1, False), (1.01, True), (-0.2, True)])
def test_a_value_that_the_metric_cannot_have_is_no_assumption(registered, instruments, value, flawed):
    assumed = {"auc": {"value": float(value), "sd": 0.1, "source": "a pilot"}}
    flaws = flaws_in(registered(assumptions=assumed), instruments)
    assert [(flaw.code, flaw.pointer) for flaw in flaws] == [
        ("impossible_assumption", "/assumptions/auc/value")
    ] * flawed


@pytest.mark.parametrize(("skewness", "refused"), [(5, False), (-5, False), (5.1, True), (-6, True)])
def test_a_skewness_beyond_what_can_be_simulated_is_refused(document, skewness, refused):
    assumed = {"value": 0.5, "sd": 0.1, "skewness": skewness, "source": "a pilot"}
    document = {**document, "assumptions": {"auc": assumed}}
    if not refused:
        assert Registration.model_validate(document).assumptions["auc"].skewness == skewness
        return
    with pytest.raises(ValidationError, match=r"assumptions\.auc\.skewness"):
        Registration.model_validate(document)


def test_an_assumption_of_an_unknown_metric_is_told_once(registered, instruments):
    assumed = {"area": {"value": 5.0, "sd": 0.1, "source": "a pilot"}}
    assert [flaw.code for flaw in flaws_in(registered(assumptions=assumed), instruments)] == ["unknown_metric"]
