"""What a document of the right shape may not mean."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import Flaw
from claims.instruments import bias_battery
from claims.instruments.manifest import Metric
from claims.registration.analysis_checks import flaws_of_units
from claims.registration.checks import flaws_in
from claims.registration.model import Band, Equality, Registration, Threshold, meets
from claims.registration.vacuity import reachable
from claims.verdict.regions import outcome

PAIRS = {"kind": "pairs", "name": "p", "sha256": "ab" * 32, "dimensions": ["safety", "honesty"]}


def hypothesis(metric: str = "auc", **changes: object) -> dict:
    predict = changes.pop("predict", {"op": ">", "value": 0.5})
    return {"id": "H1", "statement": "It is.", "primary": True, "metric": metric, "predict": predict, **changes}


def criterion(**changes: object) -> dict:
    return {"id": "K1", "metric": "governed", "op": "<", "value": 8, "reason": "Too few.", **changes}


@pytest.fixture
def flaws_with(registered, instruments):
    """The flaws of the registration with some parts replaced, as (pointer, code)."""

    def found(**parts: object) -> list[tuple[str, str]]:
        flaws = flaws_in(registered(**parts), instruments)
        assert all(flaw.detail and flaw.remedy for flaw in flaws)
        return [(flaw.pointer, flaw.code) for flaw in flaws]

    return found


def test_the_registration_as_it_stands_has_no_flaw(flaws_with):
    assert flaws_with() == []


@pytest.mark.parametrize(
    ("part", "value", "expected"),
    [
        ("hypotheses", [hypothesis(primary=False)], ("/hypotheses", "no_primary")),
        ("hypotheses", [hypothesis(), hypothesis(primary=False)], ("/hypotheses/1/id", "duplicate_id")),
        ("hypotheses", [hypothesis("length_of_rope")], ("/hypotheses/0/metric", "unknown_metric")),
        ("hypotheses", [hypothesis("auc.safety")], ("/hypotheses/0/metric", "unknown_metric")),
        ("hypotheses", [hypothesis("rho")], ("/hypotheses/0/metric", "unknown_metric")),
        ("hypotheses", [hypothesis("rho.safety")], ("/hypotheses/0/metric", "unknown_dimension")),
        ("hypotheses", [hypothesis("accuracy")], ("/hypotheses/0/metric", "diagnostic_metric")),
        ("kill_criteria", [criterion(), criterion()], ("/kill_criteria/1/id", "duplicate_id")),
        ("kill_criteria", [criterion(metric="auc", value=0.5)], ("/kill_criteria/0/metric", "not_diagnostic")),
        ("kill_criteria", [criterion(metric="gap", value=0.5)], ("/kill_criteria/0/metric", "not_diagnostic")),
        ("kill_criteria", [criterion(metric="weather")], ("/kill_criteria/0/metric", "unknown_metric")),
        ("kill_criteria", [criterion(metric="noise.safety")], ("/kill_criteria/0/metric", "unknown_dimension")),
        ("kill_criteria", [criterion(value=0)], ("/kill_criteria/0/value", "vacuous")),
        ("kill_criteria", [criterion(op=">=", value=0)], ("/kill_criteria/0/value", "vacuous")),
        (
            "controls",
            {"negative": {"metric": "auc", "op": "<", "value": 0.5}},
            ("/controls/negative/metric", "not_diagnostic"),
        ),
        (
            "controls",
            {"positive": {"metric": "accuracy", "op": ">", "value": 1}},
            ("/controls/positive/value", "vacuous"),
        ),
        ("reproduction_tolerance", {"auc": 0.1, "weather": 1}, ("/reproduction_tolerance/weather", "unknown_metric")),
        ("builds_on", ["a" * 12, "b" * 12, "a" * 12], ("/builds_on/2", "duplicate_reference")),
        ("instrument", {"name": "scales", "version": "3"}, ("/instrument/name", "unknown_instrument")),
        (
            "instrument",
            {"name": "ruler", "version": "2", "params": {"notches": 1}},
            ("/instrument/version", "instrument_version"),
        ),
        ("instrument", {"name": "ruler", "version": "3"}, ("/instrument/params", "bad_params")),
        (
            "instrument",
            {"name": "ruler", "version": "3", "params": {"notches": 0}},
            ("/instrument/params/notches", "bad_params"),
        ),
        (
            "instrument",
            {"name": "ruler", "version": "3", "params": {"notches": 3.0}},
            ("/instrument/params/notches", "bad_params"),
        ),
        (
            "instrument",
            {"name": "ruler", "version": "3", "params": {"notches": True}},
            ("/instrument/params/notches", "bad_params"),
        ),
        (
            "instrument",
            {"name": "ruler", "version": "3", "params": {"notches": 1, "side": "up"}},
            ("/instrument/params/side", "bad_params"),
        ),
        (
            "instrument",
            {"name": "ruler", "version": "3", "params": {"notches": 1, "a/b": 1}},
            ("/instrument/params/a~1b", "bad_params"),
        ),
        ("sampling", {"organisms": 12, "stopping": "fixed"}, ("/sampling", "sampling")),
        (
            "sampling",
            {"organisms": 12, "pairs_per_organism": 1, "pairs": 3, "stopping": "fixed"},
            ("/sampling/pairs", "sampling"),
        ),
    ],
)
def test_one_flaw_of_meaning(flaws_with, part, value, expected):
    assert flaws_with(**{part: value}) == [expected]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"interval": "wilson"}, [("/analysis/interval", "interval_not_offered")]),
        ({"unit": "pair"}, [("/analysis/unit", "wrong_unit")]),
        ({"resamples": 100_000}, [("/analysis/resamples", "resamples")]),
        ({"interval": "bca", "resamples": 100_000}, [("/sampling/organisms", "too_few_units")]),
    ],
)
def test_one_flaw_of_the_analysis(flaws_with, document, changes, expected):
    assert flaws_with(analysis={**document["analysis"], **changes}) == expected


@pytest.mark.parametrize(
    ("confidence", "primaries", "fewest"),
    [(0.95, 1, 2_000), (0.90, 1, 1_000), (0.99, 1, 10_000), (0.95, 2, 4_000), (0.95, 3, 6_000)],
)
def test_a_bootstrap_needs_fifty_resamples_beyond_each_bound(flaws_with, document, confidence, primaries, fewest):
    def flaws(resamples: int | None) -> list[tuple[str, str]]:
        analysis = {**document["analysis"], "confidence": confidence, "interval": "bca", "multiplicity": "bonferroni"}
        return flaws_with(
            analysis={**analysis, "resamples": resamples},
            hypotheses=[hypothesis(id=f"H{index}") for index in range(primaries)],
            sampling={**document["sampling"], "organisms": 30},
        )

    assert flaws(fewest) == []
    assert flaws(fewest - 1) == [("/analysis/resamples", "resamples")]
    assert flaws(None) == [("/analysis", "resamples")]


def test_too_few_organisms_are_refused(flaws_with, document):
    assert flaws_with(sampling={**document["sampling"], "organisms": 8}, kill_criteria=[]) == []
    flaws = flaws_with(sampling={**document["sampling"], "organisms": 7}, kill_criteria=[])
    assert flaws == [("/sampling/organisms", "too_few_units")]


@pytest.mark.parametrize(
    ("units", "remedy"),
    [
        (40, "Measure 50 or more, or register studentised_bootstrap (from 8)."),
        (7, "Measure 50 or more: no interval of mean_delta.safety holds for 7."),
    ],
)
def test_too_few_units_are_told_what_would_do(units, remedy):
    (flaw,) = flaws_of_units("mean_delta.safety", "jackknife_t", bias_battery.MANIFEST, units, "/x")
    assert flaw.remedy == remedy


@pytest.mark.parametrize(("size", "largest"), [("organisms", 1_000), ("pairs_per_organism", 10_000)])
def test_a_size_has_a_ceiling(flaws_with, document, size, largest):
    assert flaws_with(sampling={**document["sampling"], size: largest}) == []
    for above in (largest + 1, 1_000_000):
        flaws = flaws_with(sampling={**document["sampling"], size: above})
        assert flaws == [(f"/sampling/{size}", "out_of_bounds")]


def test_units_that_are_counted_in_the_dataset_are_checked_where_it_is(instruments):
    manifest = instruments["ruler"].MANIFEST
    assert list(flaws_of_units("auc", "student_t", manifest, 8, "/subject/dataset")) == []
    (flaw,) = flaws_of_units("auc", "student_t", manifest, 7, "/subject/dataset")
    assert (flaw.pointer, flaw.code) == ("/subject/dataset", "too_few_units")
    assert "at least 8" in flaw.detail


def test_every_metric_has_a_number_of_units_of_its_own(document, registered, instruments):
    by_metric = {"student_t": {"auc": 8, "rho.<dimension>": 30}, "bca": {"auc": 20}}
    ruler = {"ruler": SimpleNamespace(MANIFEST=replace(instruments["ruler"].MANIFEST, intervals=by_metric))}

    def flaws(metric, organisms):
        sizes = {**document["sampling"], "organisms": organisms}
        subject = {**document["subject"], "dataset": PAIRS}
        of = registered(
            hypotheses=[hypothesis("auc"), hypothesis(metric, id="H2", primary=False)], sampling=sizes, subject=subject
        )
        return [(flaw.pointer, flaw.code) for flaw in flaws_in(of, ruler) if flaw.code != "wrong_unit"]

    assert flaws("rho.safety", 30) == []
    assert flaws("rho.safety", 29) == [("/sampling/organisms", "too_few_units")]
    assert flaws("count", 30) == [("/hypotheses/1/metric", "interval_not_offered")]


def test_several_primaries_need_a_correction(flaws_with, document):
    two = [hypothesis(), hypothesis("gap", id="H2")]
    assert flaws_with(hypotheses=two) == [("/analysis/multiplicity", "multiplicity")]
    assert flaws_with(hypotheses=two, analysis={**document["analysis"], "multiplicity": "bonferroni"}) == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (
            {"model": {"kind": "huggingface", "repo": "a/b", "revision": "0" * 40}},
            ("/subject/model/kind", "unsupported_subject"),
        ),
        ({"model": {"kind": "organism", "recipe": "log"}}, ("/subject/model/recipe", "unknown_recipe")),
        (
            {"model": {"kind": "organism", "recipe": "twig", "params": {"layers": "2"}}},
            ("/subject/model/params/layers", "bad_params"),
        ),
        ({"dataset": {"kind": "generated", "generator": "logs"}}, ("/subject/dataset/generator", "unknown_generator")),
        (
            {"dataset": {**PAIRS, "dimensions": ["a", "b", "a"]}},
            ("/subject/dataset/dimensions/2", "duplicate_reference"),
        ),
    ],
)
def test_one_flaw_of_the_subject(flaws_with, document, subject, expected):
    assert flaws_with(subject={**document["subject"], **subject}) == [expected]


def test_a_metric_by_dimension_names_one_of_the_dataset(flaws_with, document):
    subject = {**document["subject"], "dataset": PAIRS}
    named = [hypothesis("rho.safety"), hypothesis("rho.kindness", id="H2", primary=False)]
    assert flaws_with(subject=subject, hypotheses=named, kill_criteria=[criterion(metric="noise.honesty")]) == [
        ("/hypotheses/1/metric", "unknown_dimension")
    ]


@pytest.mark.parametrize(("low", "high"), [(0.7, 0.3), (0.5, 0.5)])
@pytest.mark.parametrize("op", ["within", "outside"])
def test_a_band_has_its_ends_in_order(flaws_with, op, low, high):
    """Nothing else is said of one that has not: that it is vacuous would send the reader after another prediction."""
    flaws = flaws_with(hypotheses=[hypothesis(predict={"op": op, "low": low, "high": high})])
    assert flaws == [("/hypotheses/0/predict/low", "reversed_band")]


def test_an_exact_interval_is_for_exact_metrics(registered, document, instruments):
    offering = {"ruler": _offering_exact(instruments["ruler"])}
    analysis = {**document["analysis"], "interval": "exact"}
    count = hypothesis("count", predict={"op": ">", "value": 3})
    assert flaws_in(registered(hypotheses=[count], analysis=analysis), offering) == []
    flaws = flaws_in(registered(hypotheses=[hypothesis("auc")], analysis=analysis), offering)
    assert [(flaw.pointer, flaw.code) for flaw in flaws] == [("/hypotheses/0/metric", "not_exact")]


def _offering_exact(ruler):
    return SimpleNamespace(
        MANIFEST=replace(ruler.MANIFEST, intervals={"exact": dict.fromkeys(ruler.MANIFEST.intervals["bca"], 1)})
    )


@pytest.mark.parametrize(
    ("metric", "predict", "impossible"),
    [
        ("auc", {"op": ">", "value": 1}, "confirm"),
        ("auc", {"op": ">", "value": 2}, "confirm"),
        ("auc", {"op": ">=", "value": 1}, "confirm"),  # only [1, 1] would, which is degenerate
        ("auc", {"op": ">", "value": -0.1}, "refute"),
        ("auc", {"op": ">", "value": 0}, "refute"),
        ("auc", {"op": ">=", "value": 0}, "refute"),
        ("auc", {"op": "<", "value": 0}, "confirm"),
        ("auc", {"op": "<=", "value": 1}, "refute"),
        ("auc", {"op": "within", "low": -1, "high": 2}, "refute"),
        ("auc", {"op": "within", "low": 0, "high": 1}, "refute"),
        ("auc", {"op": "within", "low": 2, "high": 3}, "confirm"),
        ("auc", {"op": "outside", "low": -1, "high": 2}, "confirm"),
        ("auc", {"op": "outside", "low": 2, "high": 3}, "refute"),
        ("auc", {"op": "equals", "value": 3, "tolerance": 0.5}, "confirm"),
        ("auc", {"op": "equals", "value": 0.5, "tolerance": 0.5}, "refute"),
        ("length", {"op": ">", "value": -1}, "refute"),
        ("length", {"op": "<", "value": 0}, "confirm"),
        ("count", {"op": "<", "value": 0}, "confirm"),
    ],
)
def test_a_prediction_that_cannot_go_both_ways_is_vacuous(registered, instruments, metric, predict, impossible):
    flaws = flaws_in(registered(hypotheses=[hypothesis(metric, predict=predict)]), instruments)
    assert [(flaw.pointer, flaw.code) for flaw in flaws] == [("/hypotheses/0/predict", "vacuous")]
    assert f"could {impossible} this" in flaws[0].detail


@pytest.mark.parametrize(
    ("metric", "predict"),
    [
        ("auc", {"op": ">", "value": 0.999}),
        ("auc", {"op": "within", "low": -1, "high": 0.5}),
        ("auc", {"op": "outside", "low": 0.4, "high": 7}),
        ("auc", {"op": "equals", "value": 1, "tolerance": 0.01}),
        ("length", {"op": ">", "value": 1e15}),
        ("shift", {"op": "<=", "value": -1e15}),
        ("count", {"op": "<=", "value": 0}),  # exact: [0, 0] is an interval
        ("count", {"op": ">=", "value": 1}),
    ],
)
def test_a_prediction_that_can_go_both_ways_is_not(flaws_with, metric, predict):
    assert flaws_with(hypotheses=[hypothesis(metric, predict=predict)]) == []


WHOLE = st.tuples(st.integers(-4, 4), st.integers(0, 5)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.floats(-6, 6).map(lambda value: round(value, 1)) | st.integers(-6, 6).map(float),
    st.sampled_from([">", ">=", "<", "<=", "within", "outside", "equals"]),
    st.sampled_from([0.3, 1.0, 2.5]),
    WHOLE,
    st.booleans(),
)
def test_of_a_whole_number_what_is_reachable_is_what_whole_bounds_reach(value, op, width, limits, exact):
    predict = (
        Equality(op="equals", value=value, tolerance=width)
        if op == "equals"
        else Band(op=op, low=value, high=value + width)
        if op in {"within", "outside"}
        else Threshold(op=op, value=value)
    )
    whole = range(limits[0], limits[1] + 1)
    tried = {outcome(lo, hi, predict) for lo in whole for hi in whole if lo < hi or (exact and lo == hi)}
    metric = Metric("m", "", low=limits[0], high=limits[1], integer=True, exact=exact)
    assert reachable(predict, metric) == tried


@pytest.mark.parametrize(
    ("predict", "impossible"),
    [
        ({"op": "<=", "value": 2}, "refute"),
        ({"op": "<", "value": 3}, "refute"),
        ({"op": "outside", "low": 0.2, "high": 0.8}, "refute"),
        ({"op": ">", "value": 2}, "confirm"),
        ({"op": ">", "value": 12}, "confirm"),
        ({"op": "within", "low": 0.2, "high": 0.8}, "confirm"),
        ({"op": "equals", "value": 1.5, "tolerance": 0.3}, "confirm"),
    ],
)
def test_how_many_of_two_dimensions_is_nought_one_or_two(registered, document, instruments, predict, impossible):
    subject = {**document["subject"], "dataset": PAIRS}
    flaws = flaws_in(registered(subject=subject, hypotheses=[hypothesis("wrong", predict=predict)]), instruments)
    assert [(flaw.pointer, flaw.code) for flaw in flaws] == [("/hypotheses/0/predict", "vacuous")]
    assert f"could {impossible} this" in flaws[0].detail
    assert "the whole numbers of [0, 2]" in flaws[0].detail


@pytest.mark.parametrize("op", [">", ">=", "<", "<="])
@pytest.mark.parametrize("value", [-1, 0, 0.5, 1, 7, 11, 11.5, 12, 12.5, 13, 1000])
def test_a_condition_on_how_many_of_twelve_organisms_can_be_so_and_not_so(flaws_with, op, value):
    stated = {"metric": "governed", "op": op, "value": value}
    so = {meets(count, op, value) for count in range(13)}
    for part, at in (
        ({"kill_criteria": [criterion(**stated)]}, "/kill_criteria/0/value"),
        ({"controls": {"positive": stated}}, "/controls/positive/value"),
        ({"controls": {"negative": stated}}, "/controls/negative/value"),
    ):
        expected = [] if len(so) == 2 else [(at, "vacuous")]
        assert flaws_with(**{"kill_criteria": [], "controls": {}, **part}) == expected


NUMBERS = st.integers(-6, 6).map(float)
PREDICTIONS = (
    st.builds(Threshold, op=st.sampled_from([">", ">=", "<", "<="]), value=NUMBERS)
    | st.tuples(NUMBERS, NUMBERS, st.sampled_from(["within", "outside"]))
    .filter(lambda band: band[0] < band[1])
    .map(lambda band: Band(op=band[2], low=band[0], high=band[1]))
    | st.builds(Equality, op=st.just("equals"), value=NUMBERS, tolerance=st.sampled_from([0.5, 1.0, 3.0]))
)
RANGES = st.sampled_from([(-3.0, 3.0), (0.0, 1.0), (-math.inf, 2.0), (-1.0, math.inf), (-math.inf, math.inf)])


@given(PREDICTIONS, RANGES, st.booleans())
def test_what_is_reachable_is_what_a_fine_grid_of_intervals_reaches(predict, limits, exact):
    low, high = max(limits[0], -12.0), min(limits[1], 12.0)
    grid = [low + (high - low) * index / 96 for index in range(97)]
    tried = {
        outcome(grid[lo], grid[hi], predict)
        for lo in range(len(grid))
        for hi in range(lo if exact else lo + 1, len(grid))
    }
    assert reachable(predict, Metric("m", "", low=limits[0], high=limits[1], exact=exact)) == tried


def test_flaws_are_flaws(registered, instruments):
    flaws = flaws_in(registered(hypotheses=[hypothesis("accuracy", primary=False)]), instruments)
    assert all(isinstance(flaw, Flaw) for flaw in flaws)
    assert [flaw.code for flaw in flaws] == ["no_primary", "diagnostic_metric"]
    assert isinstance(registered(), Registration)
