"""From a frozen registration and evidence to a verdict: scopes of voids, multiplicity, the status of a claim."""

import itertools

import pytest

from claims.verdict.rule import adjudicate, void_without_evidence
from claims.verdict.voids import VoidReason

CONFIRMED = {"value": 0.8, "lo": 0.7, "hi": 0.9}
REFUTED = {"value": 0.3, "lo": 0.2, "hi": 0.4}
OPEN = {"value": 0.5, "lo": 0.4, "hi": 0.6}
GAP = {"value": 0.1, "lo": -0.1, "hi": 0.3}
ESTIMATES = {"confirmed": CONFIRMED, "refuted": REFUTED, "inconclusive": OPEN, "void": {**OPEN, "method": "bca"}}
LOCAL = {"kind": "local", "directory": "m", "weights_sha256": "ab" * 32}
PAIRS = {"kind": "pairs", "name": "p", "sha256": "cd" * 32, "dimensions": ["safety"]}


def primaries(count: int) -> list[dict]:
    predict = {"op": ">", "value": 0.5}
    return [
        {"id": f"H{index}", "statement": "It is.", "primary": True, "metric": f"m{index}", "predict": predict}
        for index in range(count)
    ]


def test_the_whole_answer(registered, evidence):
    verdict = adjudicate(registered(), evidence())
    assert (verdict.status, verdict.voids) == ("confirmed", ())
    first = {"id": "H1", "estimate": 0.8, "lo": 0.7, "hi": 0.9, "level": 0.95, "outcome": "confirmed"}
    second = {"id": "H2", "estimate": 0.1, "lo": -0.1, "hi": 0.3, "level": 0.95, "outcome": "inconclusive"}
    assert verdict.as_payload("r1") == {
        "run": "r1",
        "status": "confirmed",
        "hypotheses": [{**first, "void_reason": None}, {**second, "void_reason": None}],
    }


@pytest.mark.parametrize("words", list(itertools.product(ESTIMATES, repeat=2)))
def test_the_status_of_a_claim_with_two_primaries(registered, evidence, document, words):
    registration = registered(hypotheses=primaries(2), analysis={**document["analysis"], "multiplicity": "bonferroni"})
    estimates = {f"m{index}": {**ESTIMATES[word], "level": 0.975} for index, word in enumerate(words)}
    verdict = adjudicate(registration, evidence(estimates=estimates))
    assert tuple(judged.outcome for judged in verdict.hypotheses) == words
    if "refuted" in words:
        assert verdict.status == "refuted"
    elif "void" in words:
        assert verdict.status == "void"
    else:
        assert verdict.status == ("confirmed" if words == ("confirmed", "confirmed") else "inconclusive")


@pytest.mark.parametrize("secondary", ESTIMATES)
def test_a_secondary_hypothesis_decides_nothing(registered, evidence, document, secondary):
    hypotheses = primaries(2)
    hypotheses[1]["primary"] = False
    estimates = {"m0": CONFIRMED, "m1": ESTIMATES[secondary]}
    verdict = adjudicate(registered(hypotheses=hypotheses), evidence(estimates=estimates))
    assert verdict.status == "confirmed"
    assert verdict.hypotheses[1].outcome == secondary


@pytest.mark.parametrize("words", list(itertools.combinations_with_replacement(ESTIMATES, 3)))
def test_the_order_of_hypotheses_decides_nothing(registered, evidence, document, words):
    registration = registered(hypotheses=primaries(3), analysis={**document["analysis"], "multiplicity": "bonferroni"})
    statuses = set()
    for order in itertools.permutations(words):
        estimates = {f"m{index}": {**ESTIMATES[word], "level": registration.level} for index, word in enumerate(order)}
        statuses.add(adjudicate(registration, evidence(estimates=estimates)).status)
    assert len(statuses) == 1


@pytest.mark.parametrize(
    ("confidence", "count", "level"), [(0.95, 1, 0.95), (0.90, 2, 0.95), (0.95, 2, 0.975), (0.99, 4, 0.9975)]
)
def test_bonferroni_widens_every_interval(registered, evidence, confidence, count, level):
    analysis = {"confidence": confidence, "interval": "student_t", "unit": "organism", "multiplicity": "bonferroni"}
    registration = registered(hypotheses=primaries(count), analysis=analysis)
    right = {f"m{index}": {**CONFIRMED, "level": level} for index in range(count)}
    assert adjudicate(registration, evidence(estimates=right)).status == "confirmed"
    wrong = {f"m{index}": {**CONFIRMED, "level": level - 0.001} for index in range(count)}
    assert {judged.void_reason for judged in adjudicate(registration, evidence(estimates=wrong)).hypotheses} == {
        "wrong_level"
    }


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        ({**CONFIRMED, "level": 0.949}, "wrong_level"),
        ({**CONFIRMED, "level": 0.95 + 1e-9}, "wrong_level"),
        ({**CONFIRMED, "method": "percentile"}, "wrong_method"),
        ({"value": 0.8, "lo": 0.9, "hi": 0.7}, "malformed_interval"),
        ({"value": 0.95, "lo": 0.7, "hi": 0.9}, "malformed_interval"),
        ({"value": 0.65, "lo": 0.7, "hi": 0.9}, "malformed_interval"),
        ({"value": 0.8, "lo": 0.8, "hi": 0.8}, "degenerate_interval"),
    ],
)
def test_an_estimate_that_cannot_be_judged_voids_its_hypothesis_alone(registered, evidence, estimate, reason):
    verdict = adjudicate(
        registered(), evidence(estimates={"auc": estimate, "gap": {"value": -0.5, "lo": -0.6, "hi": -0.4}})
    )
    assert verdict.status == "void"
    first, second = verdict.hypotheses
    assert (first.outcome, first.void_reason, first.estimate) == ("void", reason, estimate["value"])
    assert (second.outcome, second.void_reason) == ("confirmed", None)
    (void,) = verdict.voids
    assert (void.reason, void.scope, void.hypothesis) == (reason, "metric", "H1")
    assert void.figures["lo"] == estimate["lo"]
    assert void.remedy


def test_an_absent_metric_voids_its_hypothesis_and_says_why(registered, evidence):
    verdict = adjudicate(registered(), evidence(estimates={"gap": GAP}, not_measured={"auc": "one class only"}))
    judged = verdict.hypotheses[0]
    assert (judged.estimate, judged.lo, judged.hi, judged.level) == (None, None, None, None)
    assert (judged.outcome, judged.void_reason) == ("void", "metric_absent")
    assert verdict.voids[0].figures == {"not_measured": "one class only"}


EXACT = {"value": 3, "lo": 3, "hi": 3, "method": "exact"}


def test_an_exact_metric_may_have_an_interval_of_no_width(registered, evidence, instruments):
    counted = {**primaries(1)[0], "metric": "count"}
    verdict = adjudicate(registered(hypotheses=[counted]), evidence(estimates={"count": EXACT}), instruments)
    assert verdict.status == "confirmed"


@pytest.mark.parametrize("metric", ["auc", "gap", "length", "shift", "rho.safety", "weather"])
@pytest.mark.parametrize("width", [0, 0.1])
def test_evidence_cannot_make_a_metric_exact(registered, evidence, instruments, metric, width):
    estimate = {**EXACT, "hi": 3 + width}
    estimated = registered(hypotheses=[{**primaries(1)[0], "metric": metric}])
    verdict = adjudicate(estimated, evidence(estimates={metric: estimate}), instruments)
    assert [judged.void_reason for judged in verdict.hypotheses] == ["wrong_method"]


def test_no_metric_of_an_instrument_that_is_not_known_is_exact(registered, evidence):
    counted = {**primaries(1)[0], "metric": "count"}
    verdict = adjudicate(registered(hypotheses=[counted]), evidence(estimates={"count": EXACT}), {})
    assert [judged.void_reason for judged in verdict.hypotheses] == ["wrong_method"]


@pytest.mark.parametrize(
    ("estimate", "band", "outcome"),
    [
        (CONFIRMED, 0.19, "confirmed"),  # 0.7 - 0.19 is still above 0.5
        (CONFIRMED, 0.21, "void"),
        (REFUTED, 0.09, "refuted"),  # 0.4 + 0.09 is still at most 0.5
        (REFUTED, 0.11, "void"),
        (OPEN, 0.0, "inconclusive"),
        (OPEN, 5.0, "inconclusive"),  # nothing was decided that noise could undo
        (CONFIRMED, -0.1, "void"),
        (CONFIRMED, 1.7e308, "void"),
    ],
)
def test_the_nondeterminism_band_voids_only_a_decision_that_it_could_undo(
    registered, evidence, estimate, band, outcome
):
    nondeterminism = {"band.auc": band, "band.gap": 9.0}
    verdict = adjudicate(registered(), evidence(estimates={"auc": estimate, "gap": GAP}, nondeterminism=nondeterminism))
    assert verdict.hypotheses[0].outcome == outcome
    assert verdict.hypotheses[0].void_reason == ("nondeterminism" if outcome == "void" else None)
    assert verdict.hypotheses[1].outcome == "inconclusive"


STUDY = [
    (
        {"counts": {"organisms": 11, "pairs_per_organism": 16}},
        "breached_sampling",
        {"size": "organisms", "frozen": 12, "measured": 11},
    ),
    (
        {"counts": {"organisms": 12}},
        "breached_sampling",
        {"size": "pairs_per_organism", "frozen": 16, "measured": None},
    ),
    ({"version": "4"}, "code_drift", None),
    ({"instrument": "scales"}, "code_drift", None),
    ({"params": {"notches": 9, "side": "left"}}, "code_drift", None),
    ({"params": {}}, "code_drift", None),
    ({"diagnostics": {"accuracy": 0.89, "governed": 12.0}}, "failed_control", None),
    ({"diagnostics": {"governed": 12.0}}, "failed_control", None),
    ({"diagnostics": {"accuracy": 0.97, "governed": 7.0}}, "kill_criterion", None),
    ({"diagnostics": {"accuracy": 0.97}}, "kill_criterion", None),
    ({"refusal": {"reason": "nan", "detail": "NaN in layer 3", "remedy": "use fp32"}}, "instrument_refused", None),
]


@pytest.mark.parametrize(("parts", "reason", "figures"), STUDY)
def test_a_study_level_void_voids_everything_first(registered, evidence, parts, reason, figures):
    refuted = {"auc": REFUTED, "gap": {"value": 0.5, "lo": 0.4, "hi": 0.6}}
    verdict = adjudicate(registered(), evidence(estimates=refuted, **parts))
    assert verdict.status == "void", "void, never refuted"
    assert {(judged.outcome, judged.void_reason) for judged in verdict.hypotheses} == {("void", reason)}
    assert [judged.estimate for judged in verdict.hypotheses] == [0.3, 0.5], "the figures are still shown"
    (void,) = verdict.voids
    assert (void.reason, void.scope, void.hypothesis) == (reason, "study", None)
    assert void.figures
    assert figures is None or void.figures == figures
    assert void.remedy


def test_the_same_evidence_without_those_parts_is_refuted(registered, evidence):
    refuted = {"auc": REFUTED, "gap": {"value": 0.5, "lo": 0.4, "hi": 0.6}}
    assert adjudicate(registered(), evidence(estimates=refuted)).status == "refuted"


def test_another_subject_than_the_frozen_one_voids_the_study(registered, evidence):
    registration = registered(subject={"model": LOCAL, "dataset": PAIRS})

    def reasons(weights: str | None, dataset: str | None) -> list[str]:
        subject = {
            "model": {"weights_sha256": weights, "dtype": "float32", "device": "cpu", "attention": "eager"},
            "dataset": {"sha256": dataset, "n": 1},
        }
        return [void.reason.value for void in adjudicate(registration, evidence(subject=subject)).voids]

    assert reasons("ab" * 32, "cd" * 32) == []
    assert reasons("00" * 32, "cd" * 32) == ["weights_differ"]
    assert reasons(None, "cd" * 32) == ["weights_differ"]
    assert reasons("ab" * 32, "00" * 32) == ["dataset_differs"]
    assert reasons("00" * 32, None) == ["weights_differ", "dataset_differs"]


def test_a_negative_control_must_hold_too(registered, evidence):
    registration = registered(controls={"negative": {"metric": "accuracy", "op": "<", "value": 0.6}})
    assert adjudicate(registration, evidence()).voids[0].figures == {
        "control": "negative", "metric": "accuracy", "measured": 0.97, "op": "<", "value": 0.6,
    }  # fmt: skip


def test_every_void_of_a_study_is_told(registered, evidence):
    verdict = adjudicate(registered(), evidence(diagnostics={}, counts={}))
    assert [void.reason.value for void in verdict.voids] == [
        "breached_sampling", "breached_sampling", "failed_control", "kill_criterion",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "reason", ["worker_lost", "cancelled", "code_drift", "instrument_refused", "insufficient_memory"]
)
def test_a_run_without_evidence_is_void_in_every_hypothesis(registered, reason):
    verdict = void_without_evidence(registered(), reason, {"attempts": 3})
    assert verdict.status == "void"
    assert [judged.void_reason for judged in verdict.hypotheses] == [reason, reason]
    assert verdict.hypotheses[0].estimate is None
    assert (verdict.voids[0].figures, verdict.voids[0].scope) == ({"attempts": 3}, "study")


@pytest.mark.parametrize("reason", ["degenerate_interval", "metric_absent", "bad_weather"])
def test_other_reasons_cannot_void_a_run_without_evidence(registered, reason):
    with pytest.raises(ValueError, match=reason):
        void_without_evidence(registered(), reason, {})


def test_the_list_of_reasons_is_closed_and_explained():
    assert len({reason.remedy for reason in VoidReason}) == len(VoidReason)
    assert {reason.scope for reason in VoidReason} == {"study", "metric"}
    named = {"failed_control", "kill_criterion", "breached_sampling", "dataset_differs", "weights_differ"}
    named |= {"code_drift", "cancelled", "worker_lost", "instrument_refused"}
    assert all(VoidReason(name).scope == "study" for name in named)
