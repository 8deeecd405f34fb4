"""Shares and means of differentials from rows of kind attribution."""

import json
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from claims.flaws import RefusedInputError
from claims.instruments import direct_linear_attribution as instrument
from claims.instruments.differentials import late_layers, layer_of
from claims.seeds import seeds_of

from .by_hand import jackknifed

SEEDS = seeds_of(bytes(32), "0" * 64)


@pytest.fixture(autouse=True)
def _few(few_are_enough):
    few_are_enough(instrument)


MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = sorted(directory.name for directory in MODELS.iterdir() if directory.is_dir())
NAMES = ["embed", "attn_L0", "mlp_L0", "attn_L1", "mlp_L1"]


def attribution_rows(pair, differentials, *, dimension="kindness", cluster=None, margin=None):
    """`differentials` by component; the margin is their sum where none is given."""
    at = {"pair_id": pair, "dimension": dimension, "cluster": cluster or pair}
    margin = sum(differentials.values()) if margin is None else margin
    scores = [{"kind": "score", **at, "side": side, "score": score, "tokens": 4} for side, score in
              (("chosen", margin), ("rejected", 0.0))]  # fmt: skip
    return scores + [
        {"kind": "attribution", **at, "component": name, "chosen": value + 1, "rejected": 1.0, "differential": value}
        for name, value in differentials.items()
    ]


@pytest.fixture
def values():
    """(20, 5) differentials; the third component is the largest, and the second's sign varies."""
    draw = np.random.default_rng(2)
    return draw.normal([0.1, 0, 2, -0.5, 0.6], 0.5, size=(20, 5))


@pytest.fixture
def estimated(register):
    def made(values, names=NAMES, **params):
        document = {"name": "direct_linear_attribution", "version": "1", "params": params}
        registration = register("direct_linear_attribution", instrument=document)
        pairs = [dict(zip(names, map(float, row), strict=True)) for row in values]
        rows = [row for n, pair in enumerate(pairs) for row in attribution_rows(f"p{n}", pair)]
        return instrument.estimate(rows, registration, SEEDS)

    return made


def one_by_one(statistic, values, low, high):
    left_out = [statistic(np.delete(values, n, axis=0)) for n in range(len(values))]
    return jackknifed(statistic(values), left_out, 0.975, low, high)


def share_of(columns):
    return lambda values: np.abs(values[:, columns]).sum() / np.abs(values).sum()


def test_means_are_signed_and_shares_are_of_magnitudes(estimated, values):
    found = estimated(values).estimates
    for k, name in enumerate(NAMES):
        assert found[f"mean_differential.{name}"].value == pytest.approx(values[:, k].mean())
        assert found[f"share.{name}"].value == pytest.approx(share_of([k])(values))
    assert found["late_share"].value == pytest.approx(share_of([3, 4])(values))
    assert found["top_share"].value == found["share.mlp_L0"].value
    assert found["late_share.kindness"] == found["late_share"]


def test_intervals_are_the_jackknife_over_clusters(estimated, values):
    found = estimated(values).estimates
    late, mean_of = found["late_share"], found["mean_differential.mlp_L1"]
    assert (late.lo, late.hi) == pytest.approx(one_by_one(share_of([3, 4]), values, 0, 1))
    expected = one_by_one(lambda kept: kept[:, 4].mean(), values, -np.inf, np.inf)
    assert (mean_of.lo, mean_of.hi) == pytest.approx(expected)
    assert (late.n, late.level, late.method) == (20, 0.975, "jackknife_t")


def test_the_top_share_is_wider_below_for_having_been_chosen(estimated, values):
    found = estimated(values).estimates
    own, top = found["share.mlp_L0"], found["top_share"]
    assert top.lo < own.lo
    assert top.hi == own.hi


def test_one_that_could_well_be_larger_gives_the_top_share_its_upper_end(estimated):
    draw = np.random.default_rng(6)
    steady, wild = draw.uniform(1.9, 2.1, size=12), 1.8 * np.array([0, 2] * 6) + draw.normal(0, 0.01, size=12)
    found = estimated(np.column_stack([steady, wild, np.ones(12)]), ["mlp_L0", "mlp_L1", "mlp_L2"]).estimates
    assert found["share.mlp_L1"].value < found["share.mlp_L0"].value
    assert found["top_share"].hi == found["share.mlp_L1"].hi > found["share.mlp_L0"].hi


def test_of_components_all_alike_the_top_share_holds_what_each_has(estimated):
    """With the sample's largest component alone, the lower end lies above the truth in a third of such studies."""
    draw, names, missed = np.random.default_rng(8), [f"mlp_L{layer}" for layer in range(24)], {"top": 0, "own": 0}
    for _ in range(25):
        found = estimated(draw.normal(size=(8, 24)), names).estimates
        largest = max((name for name in found if name.startswith("share.")), key=lambda name: found[name].value)
        for word, metric in (("top", "top_share"), ("own", largest)):
            missed[word] += found[metric].lo > 1 / 24
    assert missed["top"] <= 2
    assert missed["own"] >= 3


@pytest.mark.parametrize(("layers", "late"), [(1, [0]), (4, [3]), (15, [14]), (16, [14, 15]), (30, [27, 28, 29])])
def test_the_last_eighth_is_at_least_one_layer(layers, late):
    assert list(late_layers(layers)) == late


@pytest.mark.parametrize(
    ("component", "layer"),
    [("embed", None), ("norm_bias", None), ("mlp_L31", 31), ("head_L12_H6", 12), ("bias_L3", 3), ("attn_L0", 0)],
)
def test_a_component_is_of_the_layer_in_its_name(component, layer):
    assert layer_of(component) == layer


def test_heads_and_their_bias_are_late_with_their_layer(estimated):
    names = ["embed", "norm_bias", "head_L0_H0", "mlp_L0", "head_L1_H0", "head_L1_H1", "bias_L1", "mlp_L1"]
    values = np.random.default_rng(4).normal(size=(12, 8))
    values[:, 1] = 0
    found = estimated(values, names, granularity="head")
    assert found.estimates["late_share"].value == pytest.approx(share_of([4, 5, 6, 7])(values))
    assert (found.counts["components"], found.counts["layers"]) == (8, 2)
    for metric in ("share.norm_bias", "mean_differential.norm_bias"):
        assert "it is 0 in this sample" in found.not_measured[metric]


def test_what_the_differentials_leave_unexplained_is_a_share_of_them(register, values):
    registration = register("direct_linear_attribution")
    pairs = [dict(zip(NAMES, map(float, row), strict=True)) for row in values]
    rows = [
        row for n, pair in enumerate(pairs) for row in attribution_rows(f"p{n}", pair, margin=sum(pair.values()) + 1)
    ]
    found = instrument.estimate(rows, registration, SEEDS)
    assert found.diagnostics["unexplained_share"] == pytest.approx(20 / np.abs(values).sum())
    assert instrument.estimate(rows[::-1], registration, SEEDS).diagnostics == pytest.approx(found.diagnostics)


def test_nothing_attributed_leaves_no_share(estimated):
    found = estimated(np.zeros((12, 5)))
    assert found.estimates == {}
    assert "a sum that is 0" in found.not_measured["top_share"]
    assert found.not_measured["unexplained_share"] == "every differential is 0"


def test_seven_clusters_are_too_few(estimated, values):
    found = estimated(values[:7])
    assert found.estimates == {}
    for metric in ("top_share", "late_share", "share.embed", "mean_differential.embed"):
        assert found.not_measured[metric].count("in this sample") == 1
        assert "7 independent clusters" in found.not_measured[metric]


def test_pairs_all_alike_leave_no_error_known(estimated):
    found = estimated(np.tile([0.1, 0.2, 0.3, 0.4, 0.5], (12, 1)))
    assert found.estimates == {}


def test_incomplete_rows_are_no_evidence(register):
    registration = register("direct_linear_attribution")
    rows = [row for pair in "pq" for row in attribution_rows(pair, dict.fromkeys(NAMES, 1.0))]
    with pytest.raises(ValueError, match="one row of kind attribution for mlp_L1"):
        instrument.estimate(rows[:-1], registration, SEEDS)
    with pytest.raises(ValueError, match="one row of kind attribution for mlp_L1"):
        instrument.estimate([*rows, rows[-1]], registration, SEEDS)
    with pytest.raises(ValueError, match="not those that have score rows"):
        instrument.estimate(
            [row for row in rows if (row["kind"], row["pair_id"]) != ("score", "q")], registration, SEEDS
        )
    with pytest.raises(ValueError, match="attn_L0 has rows beside those of its heads"):
        instrument.estimate(attribution_rows("p", {"attn_L0": 1.0, "head_L0_H0": 1.0}), registration, SEEDS)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("convention", ["frozen_norm", "raw"])
def test_the_means_of_the_recorded_models(register, family, convention):
    document = {"name": "direct_linear_attribution", "version": "1", "params": {"convention": convention}}
    registration = register("direct_linear_attribution", instrument=document)
    record = json.loads((MODELS / family / "expected.json").read_text())
    truth, layers = record["pairs"], record["n_layers"]
    recorded = {pair: of["attribution"][convention.removesuffix("_norm")] for pair, of in truth.items()}
    differentials = {
        pair: {name: sides["chosen"][name] - sides["rejected"][name] for name in sides["chosen"]}
        for pair, sides in recorded.items()
    }
    rows = [
        row
        for pair, values in differentials.items()
        for row in attribution_rows(pair, values, margin=truth[pair]["scores"]["margin"])
    ]
    found = instrument.estimate(rows, registration, SEEDS)
    assert found.counts["layers"] == layers
    late = [values[name] for values in differentials.values() for name in (f"attn_L{layers - 1}", f"mlp_L{layers - 1}")]
    every = [value for values in differentials.values() for value in values.values()]
    assert found.estimates["late_share"].value == pytest.approx(sum(map(abs, late)) / sum(map(abs, every)))
    expected = mean(values["mlp_L2"] for values in differentials.values())
    assert found.estimates["mean_differential.mlp_L2"].value == pytest.approx(expected)
    assert (found.diagnostics["unexplained_share"] < 1e-9) == (convention == "frozen_norm")


def hypothesis(metric):
    predict = {"op": ">", "value": 0.5}
    return {"id": "H1", "statement": "It is.", "primary": True, "metric": metric, "predict": predict}


@pytest.mark.parametrize(
    ("granularity", "components"),
    [
        ("component", ["embed", "attn_L0", "mlp_L31"]),
        ("head", ["embed", "mlp_L31", "head_L12_H6", "head_L0_H29", "bias_L3"]),
    ],
)
def test_a_claim_may_be_about_any_component_a_model_could_have(register_checkpoint, granularity, components):
    instrument = {"name": "direct_linear_attribution", "version": "1", "params": {"granularity": granularity}}
    for metric in (f"{family}.{component}" for family in ("share", "mean_differential") for component in components):
        assert register_checkpoint("direct_linear_attribution", instrument=instrument, hypotheses=[hypothesis(metric)])


def test_a_claim_about_a_layer_that_the_model_does_not_have_is_told_why(register_checkpoint, pair_rows):
    rows = [row for number in range(8) for row in pair_rows(f"{number}", {"mlp_L0": 1.0 + number}, {})]
    registration = register_checkpoint("direct_linear_attribution", hypotheses=[hypothesis("share.mlp_L40")])
    why = instrument.estimate(rows, registration, SEEDS).not_measured["share.mlp_L40"]
    assert why == "no component mlp_L40 was attributed: see the layers and heads of the model"


@pytest.mark.parametrize(
    "metric",
    ["share.mlp", "share.mlp_L01", "share.head_L1", "share.mlp_L1_H2", "share.safety", "top_share.mlp_L1", "share"],
)
def test_what_no_model_could_have_is_refused_with_the_names_there_are(register, metric):
    with pytest.raises(RefusedInputError) as refused:
        register("direct_linear_attribution", hypotheses=[hypothesis(metric)])
    (flaw,) = refused.value.flaws
    assert flaw.pointer == "/hypotheses/0/metric"
    if flaw.code == "unknown_metric":
        assert "head_L<layer>_H<head>" in flaw.remedy
    else:
        assert (flaw.code, metric) == ("unknown_dimension", "top_share.mlp_L1")


@pytest.mark.parametrize(
    ("params", "gauge"),
    [
        ({}, "covariant"),
        ({"convention": "frozen_norm", "granularity": "head"}, "covariant"),
        ({"convention": "raw", "granularity": "component"}, "raw_only"),
    ],
)
def test_raw_numbers_are_comparable_with_nothing(params, gauge):
    assert instrument.MANIFEST.gauge_under(params) == gauge


def test_the_cost_is_two_forwards_a_pair(register):
    registration = register("direct_linear_attribution")
    held = dict.fromkeys(registration.subject.dataset.dimensions, 32)
    assert instrument.cost(registration, held).forwards == 2 * 12 * 32
    assert len(instrument.plan(registration, held)) == 12
