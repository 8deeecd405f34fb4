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


def test_a_ceiling_is_told(registered, instruments):
    answer = check(registered(hypotheses=[LONG]), "committed", instruments=instruments)
    assert answer["warnings"] == [
        {"code": "CEILING", "pointer": "/hypotheses/0/metric", "detail": "H9: length: No ruler is longer than a metre."}
    ]


def test_the_cost_of_uploaded_pairs_is_known_once_they_are_counted(registered, document, instruments):
    registration = registered(subject={**document["subject"], "dataset": PAIRS})
    assert check(registration, "recorded", instruments=instruments)["cost"] is None
    assert check(registration, "recorded", {"safety": 5}, instruments)["cost"]["forwards"] == 15


def test_a_prediction_after_the_data_is_told_so(registered, instruments):
    answer = check(registered(), "post_hoc", instruments=instruments)
    assert answer["reachable"]["trust"] == "exploratory"
    assert [warning["code"] for warning in answer["warnings"]] == ["POST_HOC"]
