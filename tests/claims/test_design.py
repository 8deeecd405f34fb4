import pytest

from claims.canonical import canonical_bytes
from claims.design import check

PAIRS = {"kind": "pairs", "name": "p", "sha256": "cd" * 32, "dimensions": ["safety"]}
LONG = {"id": "H9", "statement": "s", "primary": True, "metric": "length", "predict": {"op": ">", "value": 1}}


def test_what_is_told_of_a_sound_design(registered, instruments):
    answer = check(registered(), "committed", instruments=instruments)
    assert answer["reachable"]["precedence"] == "committed"
    assert answer["reachable"]["trust"] == "registered"
    assert "operator" in answer["reachable"]["why"]
    assert answer["level"] == 0.95
    assert answer["cost"] == {"forwards": 10, "seconds": 1.5, "memory_bytes": 2**20}
    assert answer["warnings"] == []
    canonical_bytes(answer)


def test_a_calibrated_instrument_brings_adjudication_within_reach(registered, instruments):
    for precedence, trust in (("committed", "adjudicated"), ("post_hoc", "calibrated")):
        answer = check(registered(), precedence, instruments=instruments, calibrated=True)
        assert answer["reachable"]["trust"] == trust


def test_a_ceiling_is_told(registered, instruments):
    answer = check(registered(hypotheses=[LONG]), "committed", instruments=instruments)
    assert answer["warnings"] == [
        {"code": "CEILING", "pointer": "/hypotheses/0/metric", "detail": "H9: length: No ruler is longer than a metre."}
    ]


@pytest.mark.parametrize(
    ("predict", "told"),
    [
        ({"op": ">", "value": 1}, True),
        ({"op": ">=", "value": 1.5}, True),
        ({"op": "within", "low": 1, "high": 2}, True),
        ({"op": "equals", "value": 2, "tolerance": 0.5}, True),
        ({"op": "outside", "low": 0, "high": 1.5}, True),
        ({"op": ">", "value": 0.5}, False),
        ({"op": "<", "value": 1}, False),
        ({"op": "<=", "value": 3}, False),
        ({"op": "within", "low": 0.5, "high": 2}, False),
        ({"op": "outside", "low": 0.5, "high": 2}, False),
        ({"op": "equals", "value": 1, "tolerance": 0.5}, False),
    ],
)
def test_a_ceiling_is_told_where_only_what_lies_above_it_would_confirm(registered, instruments, predict, told):
    answer = check(registered(hypotheses=[{**LONG, "predict": predict}]), "committed", instruments=instruments)
    assert [warning["code"] for warning in answer["warnings"]] == ["CEILING"] * told


@pytest.mark.parametrize(
    ("predict", "told"),
    [
        ({"op": ">", "value": 0}, False),
        ({"op": "<=", "value": 0}, False),
        ({"op": "within", "low": -1, "high": 0}, False),
        ({"op": "outside", "low": 0, "high": 2}, False),
        ({"op": "<", "value": -0.3}, True),
        ({"op": ">=", "value": 0.01}, True),
        ({"op": "within", "low": 0, "high": 0.5}, True),
        ({"op": "outside", "low": -0.1, "high": 1}, True),
        ({"op": "equals", "value": 0, "tolerance": 0.2}, True),
    ],
)
def test_a_threshold_other_than_nought_is_told_where_noise_pulls_there(warned, predict, told):
    detail = "H9: rho.safety: Noise makes it smaller."
    warning = {"code": "RELIABILITY", "pointer": "/hypotheses/0/predict", "detail": detail}
    assert warned("rho.safety", predict) == [warning] * told
    assert warned("gap", predict) == []


@pytest.fixture
def warned(registered, document, instruments):
    subject = {**document["subject"], "dataset": PAIRS}

    def warnings(metric: str, predict: dict) -> list[dict]:
        registration = registered(hypotheses=[{**LONG, "metric": metric, "predict": predict}], subject=subject)
        return check(registration, "committed", instruments=instruments)["warnings"]

    return warnings


def test_the_cost_of_uploaded_pairs_is_known_once_they_are_counted(registered, document, instruments):
    registration = registered(subject={**document["subject"], "dataset": PAIRS})
    assert check(registration, "recorded", instruments=instruments)["cost"] is None
    assert check(registration, "recorded", {"safety": 5}, instruments)["cost"]["forwards"] == 15


def test_a_prediction_after_the_data_is_told_so(registered, instruments):
    answer = check(registered(), "post_hoc", instruments=instruments)
    assert answer["reachable"]["trust"] == "exploratory"
    assert [warning["code"] for warning in answer["warnings"]] == ["POST_HOC"]
