"""From a frozen registration and evidence to a verdict: scopes of voids, multiplicity, the status of a claim."""

import itertools

import pytest

from claims.instruments import catalogue
from claims.verdict.rule import adjudicate, void_without_evidence
from claims.verdict.study import study_voids
from claims.verdict.voids import VoidReason
from tests.claims.conftest import ESTIMATE
from tests.claims.verdict import cases
from tests.claims.verdict.cases import INSTRUMENTS
from tests.claims.verdict.page import SCOPES

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
    other = {"value": -0.5, "lo": -0.6, "hi": -0.4}
    measured = evidence(estimates={"auc": estimate, "gap": other}, nondeterminism={"band.auc": 0.25})
    verdict = adjudicate(registered(), measured)
    assert verdict.status == "void"
    first, second = verdict.hypotheses
    assert (first.outcome, first.void_reason, first.estimate) == ("void", reason, estimate["value"])
    assert (second.outcome, second.void_reason) == ("confirmed", None)
    (void,) = verdict.voids
    assert (void.reason, void.scope, void.hypothesis) == (reason, "metric", "H1")
    assert void.figures == {**ESTIMATE, **estimate, "band": 0.25}
    assert void.remedy


def test_an_absent_metric_voids_its_hypothesis_and_says_why(registered, evidence):
    verdict = adjudicate(registered(), evidence(estimates={"gap": GAP}, not_measured={"auc": "one class only"}))
    judged = verdict.hypotheses[0]
    assert (judged.id, judged.estimate, judged.lo, judged.hi, judged.level) == ("H1", None, None, None, None)
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


@pytest.mark.parametrize(
    ("metric", "predict", "bounds", "reason"),
    [
        ("auc", {"op": "within", "low": 0, "high": 0.1}, (0.0, 0.05), None),
        ("auc", {"op": "within", "low": 0, "high": 0.1}, (0.0, 0.1), "nondeterminism"),
        ("auc", {"op": "within", "low": 0.9, "high": 1}, (0.95, 1.0), None),
        ("auc", {"op": "within", "low": 0.9, "high": 1}, (0.9, 1.0), "nondeterminism"),
        ("shift", {"op": "within", "low": 0, "high": 0.1}, (0.0, 0.05), "nondeterminism"),
        ("weather", {"op": "within", "low": 0, "high": 0.1}, (0.0, 0.05), "nondeterminism"),  # of no known range
        ("wrong", {"op": "within", "low": 1, "high": 1.5}, (1.0, 1.0), "nondeterminism"),
        ("wrong", {"op": "within", "low": 0.5, "high": 1}, (1.0, 1.0), None),  # one dimension: at most 1
    ],
)
def test_at_an_end_of_the_metric_s_range_the_band_undoes_nothing(instruments, metric, predict, bounds, reason):
    lo, hi = bounds
    method = "exact" if metric == "wrong" else "student_t"
    estimate = {"value": lo, "lo": lo, "hi": hi, "level": 0.95, "method": method}
    evidence = cases.measured({metric: estimate}, nondeterminism={f"band.{metric}": 1e-9})
    frozen = cases.registered([cases.hypothesis("H1", metric, predict)])
    (judged,) = adjudicate(frozen, evidence, instruments).hypotheses
    assert judged.void_reason == reason


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
    (
        {"version": "4"},
        "code_drift",
        {
            "frozen": {"name": "ruler", "version": "3", "params": {"notches": 10, "side": "left"}},
            "measured": {"name": "ruler", "version": "4", "params": {"notches": 10, "side": "left"}},
        },
    ),
    ({"instrument": "scales"}, "code_drift", None),
    ({"params": {"notches": 9, "side": "left"}}, "code_drift", None),
    ({"params": {}}, "code_drift", None),
    (
        {"diagnostics": {"accuracy": 0.89, "governed": 12.0}},
        "failed_control",
        {"control": "positive", "metric": "accuracy", "measured": 0.89, "op": ">=", "value": 0.9},
    ),
    ({"diagnostics": {"governed": 12.0}}, "failed_control", None),
    (
        {"diagnostics": {"accuracy": 0.97, "governed": 7.0}},
        "kill_criterion",
        {
            "criterion": "K1",
            "reason": "Too few obey.",
            "metric": "governed",
            "measured": 7.0,
            "op": "<",
            "value": 8,
        },
    ),
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


GENERATED = {"kind": "generated", "generator": "twigs"}
ORGANISM = {"kind": "organism", "recipe": "twig"}
FETCHED = {"kind": "huggingface", "repo": "a/b", "revision": "0" * 40}


@pytest.mark.parametrize(
    ("model", "hashes", "reasons"),
    [
        (ORGANISM, (None, None), []),
        (ORGANISM, ("ab" * 32, None), ["weights_differ"]),
        (ORGANISM, (None, "cd" * 32), ["dataset_differs"]),
        (FETCHED, ("ab" * 32, None), []),  # its revision is frozen, and the run tells the hash
        ({"kind": "tiny", "seed": 1}, ("ab" * 32, None), []),
    ],
)
def test_what_the_run_makes_has_no_hash(registered, evidence, model, hashes, reasons):
    weights, dataset = hashes
    measured = {
        "model": {"weights_sha256": weights, "dtype": "float32", "device": "cpu", "attention": "eager"},
        "dataset": {"sha256": dataset, "n": 1},
    }
    verdict = adjudicate(registered(subject={"model": model, "dataset": GENERATED}), evidence(subject=measured))
    assert [void.reason.value for void in verdict.voids] == reasons
    assert all(void.figures["frozen"] is None and void.figures["measured"] for void in verdict.voids)


@pytest.mark.parametrize(
    ("frozen", "measured", "reasons"),
    [
        ({"notches": 1}, {"notches": 1, "side": "left"}, []),
        ({"notches": 1}, {"notches": 1.0}, []),  # one number in JSON
        ({"notches": 1}, {"notches": True}, ["code_drift"]),
        ({"notches": 1}, {"notches": 1, "side": "right"}, ["code_drift"]),
        ({"notches": 1, "side": "right"}, {"notches": 1, "side": "right"}, []),
        ({"notches": 1, "side": "right"}, {"notches": 1}, ["code_drift"]),
        ({"notches": 1}, {"notches": 1, "colour": None}, ["code_drift"]),
    ],
)
def test_other_parameters_are_other_code(registered, evidence, frozen, measured, reasons):
    registration = registered(instrument={"name": "ruler", "version": "3", "params": frozen})
    voids = adjudicate(registration, evidence(params=measured), INSTRUMENTS).voids
    assert [void.reason.value for void in voids] == reasons
    assert all(void.figures["measured"]["params"] == measured for void in voids)


def test_of_an_instrument_that_is_not_known_nobody_knows_the_defaults(registered, evidence, instruments):
    said = evidence(params={"notches": 10, "side": "right"})
    assert adjudicate(registered(), said, instruments).voids[0].reason == "code_drift"
    assert adjudicate(registered(), said, {}).status == "confirmed"
    older = registered(instrument={"name": "ruler", "version": "2", "params": {"notches": 10}})
    of_then = evidence(version="2", params={"notches": 10, "side": "right"})
    assert adjudicate(older, of_then, instruments).status == "confirmed"


def test_the_defaults_are_those_of_the_instruments_there_are(registered, evidence):
    """`rank_by` has one; a rule that is not told of instruments looks among those that Antedate has."""
    registration = registered(instrument={"name": "attribution_patching_agreement", "version": "1"})
    of_it = {"instrument": "attribution_patching_agreement", "version": "1"}
    default = catalogue()["attribution_patching_agreement"].MANIFEST.params["properties"]["rank_by"]["default"]
    for params, voids in (({"rank_by": default}, 0), ({"rank_by": "longest"}, 1)):
        assert len(adjudicate(registration, evidence(params=params, **of_it)).voids) == voids
        assert len(study_voids(registration, evidence(params=params, **of_it))) == voids


def test_an_interval_registered_as_exact_is_refused_of_a_metric_that_is_not(registered, evidence, document):
    """Filing refuses such a registration; the rule does not lean on that."""
    registration = registered(analysis={**document["analysis"], "interval": "exact"})
    estimates = {"auc": {**CONFIRMED, "method": "exact"}, "gap": GAP}
    verdict = adjudicate(registration, evidence(estimates=estimates))
    assert [judged.void_reason for judged in verdict.hypotheses] == ["wrong_method", "wrong_method"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_evidence_without_a_number_is_refused_where_it_is_read(evidence, number):
    """That the rule voids it all the same is a property (`void_properties.py`)."""
    for parts in ({"estimates": {"auc": {**CONFIRMED, "lo": number}}}, {"diagnostics": {"accuracy": number}}):
        with pytest.raises(ValueError, match="finite"):
            evidence(**parts)
    with pytest.raises(ValueError, match="finite"):
        evidence(nondeterminism={"band.auc": number})


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


def test_the_list_of_reasons_is_closed_and_the_page_explains_it():
    assert len({reason.remedy for reason in VoidReason}) == len(VoidReason)
    assert {reason.value: reason.scope for reason in VoidReason} == SCOPES
