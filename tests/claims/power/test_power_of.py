"""What is said of a whole registration: units, the claim as a whole, and warnings."""

import json
from dataclasses import replace
from math import inf

import pytest

from claims.canonical import canonical_bytes
from claims.design import check
from claims.power import Recorded, power_of

GAP = {"value": 0.4, "sd": 0.2, "source": "a pilot of 10 organisms"}
AUC = {"value": 0.8, "sd": 0.1, "source": "a pilot of 10 organisms"}
H1 = {"id": "H1", "statement": "s", "primary": True, "metric": "auc", "predict": {"op": ">", "value": 0.5}}
H2 = {"id": "H2", "statement": "s", "primary": True, "metric": "gap", "predict": {"op": ">", "value": 0}}
BOTH = {"multiplicity": "bonferroni", "confidence": 0.95, "interval": "student_t", "unit": "organism"}


@pytest.fixture
def power(registered, instruments):
    """`power(recorded={}, **parts)`: of the registration with these parts replaced."""

    def of(recorded=None, **parts):
        return power_of(registered(**parts), instruments["ruler"].MANIFEST, {}, recorded or {})

    return of


@pytest.fixture
def without_ends(registered, instruments):
    """The same where the range of `auc` has no ends."""
    manifest = instruments["ruler"].MANIFEST
    metrics = [replace(one, low=-inf, high=inf) if one.name == "auc" else one for one in manifest.metrics]
    return lambda **parts: power_of(registered(**parts), replace(manifest, metrics=tuple(metrics)))


def codes(power):
    return [(warning["code"], warning["pointer"]) for warning in power.warnings]


def test_the_same_registration_has_the_same_answer(power):
    first, again = (power(assumptions={"auc": AUC, "gap": GAP}) for _ in range(2))
    assert first == again
    canonical_bytes(first.hypotheses)
    assert "-0.0" not in json.dumps(first.hypotheses)


def test_the_units_counted_on_are_those_that_the_kill_criteria_let_pass(power, document):
    def units(conditions, **parts):
        kill = [{"id": f"K{k}", "metric": "governed", "reason": "Few.", **one} for k, one in enumerate(conditions)]
        (found, _) = power(kill_criteria=kill, **parts).hypotheses
        return found["n"], found["note"]

    assert units([])[0] == 12
    assert units([{"op": "<", "value": 9.5}])[0] == 10
    assert units([{"op": "<=", "value": 9}])[0] == 10
    assert units([{"op": ">", "value": 9}])[0] == 12
    assert units([{"op": "<", "value": 9}, {"op": "<", "value": 11}])[0] == 11
    assert units([{"op": "<", "value": 3}])[0] == 8  # the interval's own minimum
    assert units([{"op": "<", "value": 30}])[0] == 12
    assert "10 of the 12 organisms: as few as K0 lets pass" in units([{"op": "<", "value": 10}])[1]
    control = {"positive": {"metric": "governed", "op": ">", "value": 9}}
    assert units([], controls=control)[0] == 10


def test_clusters_are_those_of_the_metric(registered, instruments):
    manifest = replace(instruments["ruler"].MANIFEST, unit="cluster")
    of = power_of(registered(assumptions={"auc": AUC, "gap": GAP}), manifest, {"auc": 40})
    auc, gap = of.hypotheses
    assert (auc["n"], auc["unit"]) == (40, "cluster")
    assert gap["n"] is None
    assert gap["power"] is None
    assert "ledger" in gap["note"]


def test_all_primaries_are_confirmed_together_less_often_than_each(power):
    together = power(hypotheses=[H1, H2], assumptions={"auc": AUC, "gap": {**GAP, "value": 0.2}}, analysis=BOTH)
    auc, gap = together.hypotheses
    claim = together.claim
    assert claim["confirmed"] == pytest.approx(auc["power"] * gap["power"], abs=0.002)
    assert claim["at_least"] == pytest.approx(auc["power"] + gap["power"] - 1, abs=0.002)
    assert sum(claim[name] for name in ("confirmed", "refuted", "inconclusive", "void")) == pytest.approx(1, abs=0.003)
    assert "independent" in claim["note"]


def test_of_one_primary_the_claim_is_what_it_is(power):
    of = power(assumptions={"auc": AUC, "gap": GAP})
    assert of.claim["confirmed"] == of.claim["at_least"] == of.hypotheses[0]["power"]
    assert of.claim["note"] is None


def test_a_primary_of_which_nothing_is_assumed_leaves_the_claim_unknown(power):
    of = power(hypotheses=[H1, H2], analysis=BOTH, assumptions={"auc": AUC})
    assert of.claim["confirmed"] is None
    assert "H2" in of.claim["note"]


def test_bonferroni_costs_power(power):
    alone = power(hypotheses=[H2], assumptions={"gap": {**GAP, "value": 0.15}})
    second = power(hypotheses=[H1, H2], analysis=BOTH, assumptions={"gap": {**GAP, "value": 0.15}})
    assert second.hypotheses[1]["power"] < alone.hypotheses[0]["power"] - 0.05


def test_a_design_with_power_is_not_warned_of(power):
    assert codes(power(hypotheses=[H1], assumptions={"auc": AUC})) == []


@pytest.mark.parametrize(
    ("predict", "assumed", "expected"),
    [
        ({"op": ">", "value": 0}, {"value": 0.05, "sd": 0.2}, {"POWER", "INCONCLUSIVE"}),
        ({"op": ">", "value": 0}, {"value": 0.2, "sd": 0.2}, {"POWER"}),
        ({"op": ">", "value": 0}, {"value": 0.0, "sd": 0.2}, {"POWER"}),
        ({"op": ">", "value": 0}, {"value": -0.5, "sd": 0.2}, {"AGAINST"}),
        ({"op": ">", "value": 0.9}, {"value": 0.95, "sd": 0.2}, {"POWER", "INCONCLUSIVE", "CEILING"}),
        ({"op": "<", "value": -0.9}, {"value": -0.95, "sd": 0.2}, {"POWER", "INCONCLUSIVE", "FLOOR"}),
        ({"op": "within", "low": -0.05, "high": 0.05}, {"value": 0, "sd": 0.2}, {"POWER", "INCONCLUSIVE", "NARROW"}),
        ({"op": ">", "value": 0.9}, {"value": 0.98, "sd": 0.199}, {"POWER", "DEGENERATE", "CEILING"}),
        ({"op": ">", "value": 0}, {"value": 0.5, "sd": 3}, {"POWER", "INCONCLUSIVE", "SPREAD", "CEILING"}),
    ],
)
def test_what_is_hard_to_decide_is_told(power, predict, assumed, expected):
    of = power(hypotheses=[{**H2, "predict": predict}], assumptions={"gap": {**assumed, "source": "a guess"}})
    assert {warning["code"] for warning in of.warnings} == expected


def test_a_warning_of_power_says_how_many_would_do(power):
    of = power(hypotheses=[H2], assumptions={"gap": {**GAP, "value": 0.2, "sd": 0.2}})
    (warning,) = of.warnings
    assert warning["pointer"] == "/hypotheses/0"
    assert f"{of.hypotheses[0]['smallest_n']} make it 80%" in warning["detail"]


def test_assumptions_about_nothing_or_too_sanguine_are_told(power):
    recorded = {"auc": Recorded(0.2, ("k3v9x2m8q4w7",), same_subject=False)}
    of = power(recorded, hypotheses=[H1], assumptions={"auc": AUC, "gap": GAP})
    assert codes(of) == [("OPTIMISTIC", "/assumptions/auc/sd"), ("UNUSED", "/assumptions/gap")]
    assert "0.2" in of.warnings[0]["detail"]


def test_a_skewness_that_the_range_tells_is_not_used_and_told(power):
    assumed = {**GAP, "skewness": 1}
    of, without = (power(hypotheses=[H2], assumptions={"gap": one}) for one in (assumed, GAP))
    assert codes(of) == [("UNUSED", "/assumptions/gap/skewness")]
    assert of.hypotheses == without.hypotheses


def test_what_is_recorded_stands_in_for_what_is_not_assumed(power):
    of = power({"auc": Recorded(0.1, ("k3v9x2m8q4w7",), same_subject=True)}, hypotheses=[H1])
    (found,) = of.hypotheses
    assert found["sd"] == 0.1
    assert found["detectable"]["value"] == pytest.approx(0.5 + found["detectable"]["effect"], abs=0.002)
    assert found["power"] is None


@pytest.mark.parametrize(("resamples", "told"), [(2000, True), (6000, False)])
def test_coarse_resampling_is_told(power, resamples, told):
    analysis = {"confidence": 0.95, "interval": "bca", "unit": "organism", "resamples": resamples}
    sampling = {"organisms": 24, "pairs_per_organism": 16, "stopping": "fixed"}
    of = power(hypotheses=[H1], analysis=analysis, sampling=sampling)
    assert codes(of) == [("RESAMPLES", "/analysis/resamples")] * told


@pytest.mark.parametrize(
    ("primaries", "analysis", "n", "told"),
    [
        (2, (0.95, "jackknife_t"), 60, True),
        (1, (0.99, "jackknife_t"), 60, True),
        (1, (0.95, "jackknife_t"), 60, False),
        (2, (0.95, "jackknife_t"), 200, False),
        (2, (0.95, "studentised_bootstrap"), 31, True),
        (2, (0.95, "studentised_bootstrap"), 32, False),
        (2, (0.95, "wilson"), 60, False),
    ],
)
def test_thin_tails_of_few_means_are_told(without_ends, primaries, analysis, n, told):
    confidence, interval = analysis
    resamples = {"resamples": 20_000} if "bootstrap" in interval else {}
    of = without_ends(
        hypotheses=[H1, {**H2, "primary": primaries > 1}],
        analysis={"confidence": confidence, "interval": interval, "unit": "organism"} | resamples,
        sampling={"organisms": n, "pairs_per_organism": 16, "stopping": "fixed"},
        kill_criteria=[],
    )
    assert [at for code, at in codes(of) if code == "TAILS"] == ["/hypotheses/0"] * told


def test_a_time_for_forecasts_is_told(power):
    assert codes(power(forecast_hours=48)) == [("FORECASTS", "/forecast_hours")]


def test_of_very_many_hypotheses_not_everything_is_searched_for(power):
    many = [{**H2, "id": f"S{k}", "primary": k == 0} for k in range(20)]
    of = power(hypotheses=many, assumptions={"gap": {**GAP, "value": 0.1}})
    assert all(found["power"] is not None for found in of.hypotheses)
    assert [found["detectable"] is not None for found in of.hypotheses] == [True] * 16 + [False] * 4
    assert "not searched" in of.hypotheses[-1]["note"]
    told = {warning["pointer"]: warning["detail"] for warning in of.warnings if warning["code"] == "POWER"}
    assert "make it 80%" in told["/hypotheses/0"]
    assert "not searched" in told["/hypotheses/19"]
    assert {warning["code"] for warning in of.warnings} == {"POWER", "INCONCLUSIVE"}


def test_the_answer_of_the_design_check_holds_it(registered, instruments):
    answer = check(registered(assumptions={"auc": AUC}), "committed", instruments=instruments, waiting=7)
    assert (answer["queue"], answer["waiting"]) == ("cpu", 7)
    assert [found["id"] for found in answer["hypotheses"]] == ["H1", "H2"]
    assert answer["claim"]["confirmed"] == answer["hypotheses"][0]["power"]
    canonical_bytes(answer)
