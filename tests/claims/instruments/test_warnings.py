"""What the design check tells of the instruments' own metrics."""

import pytest

from claims.design import check
from claims.instruments import catalogue
from tests.bench.coverage.statistics_of_metrics import SIMULATED


def warnings(registration):
    return [(warning["code"], warning["pointer"]) for warning in check(registration, "committed", {})["warnings"]]


def warned(register, example, metric, predict):
    hypothesis = {"id": "H1", "statement": "It is.", "primary": True, "metric": metric, "predict": predict}
    registration = register(example, hypotheses=[hypothesis])
    counts = dict.fromkeys(["brevity", "caution", "honesty", "kindness"], 4)
    return [warning["code"] for warning in check(registration, "committed", counts)["warnings"]]


def test_of_the_example_the_gap_under_the_twin_key_alone_is_at_its_ceiling(register):
    assert warnings(register("planted_key")) == [("CEILING", "/hypotheses/1/metric")]


@pytest.mark.parametrize(
    ("predict", "codes"),
    [
        ({"op": ">=", "value": 0}, ["CEILING"]),
        ({"op": "within", "low": 0.1, "high": 0.5}, ["CEILING"]),
        ({"op": "<", "value": 0}, []),
        ({"op": "outside", "low": -0.1, "high": 0.1}, []),
    ],
)
def test_a_gap_is_at_its_ceiling_where_it_would_have_to_be_above_nought(register, predict, codes):
    assert warned(register, "planted_key", "recovery_gap", predict) == codes
    assert warned(register, "planted_key", "recovery_gap_constructed", predict) == []


@pytest.mark.parametrize("metric", ["mean_rho", "rho.honesty"])
def test_noise_is_told_for_every_rho_with_a_threshold_other_than_nought(register, metric):
    assert warned(register, "agreement", metric, {"op": "<", "value": -0.2}) == ["RELIABILITY"]
    assert warned(register, "agreement", metric, {"op": "<", "value": 0}) == []


def test_whatever_is_a_rho_between_noisy_rankings_is_told_of_and_shows_its_reliability():
    """Every metric whose interval was simulated as rho's, whichever instrument has it and whatever it is called."""
    rhos = {
        (instrument, metric)
        for instrument, metrics in SIMULATED.items()
        for metric, statistics in metrics.items()
        if {"rho", "mean_rho"} & set(statistics)
    }
    assert {instrument for instrument, _ in rhos} >= {"attribution_patching", "attribution_patching_agreement"}
    for instrument, name in rhos:
        metrics = catalogue()[instrument].MANIFEST.metrics
        of_name = [metric for metric in metrics if metric.name.partition(".")[0] == name]
        assert of_name
        assert all(metric.pulled_to_zero for metric in of_name)
        assert "smallest_reliability" in {metric.name for metric in metrics if metric.diagnostic}


@pytest.mark.parametrize("metric", ["negative_dimensions", "top_attribution_moves.honesty"])
def test_noise_does_not_pull_the_other_metrics_to_nought(register, metric):
    assert warned(register, "agreement", metric, {"op": ">=", "value": 1}) == []
