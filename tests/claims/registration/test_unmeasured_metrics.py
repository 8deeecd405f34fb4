"""A metric that the parameters keep from being measured is refused when the claim is filed, not void afterwards."""

from pathlib import Path

import pytest

from claims.flaws import RefusedInputError
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def found():
    """`found(example, metric, **params)`: the flaws of the example asking one hypothesis about that metric."""

    def asked(example, metric, **params):
        document = read_yaml((EXAMPLES / f"{example}.yaml").read_bytes())
        document["instrument"]["params"] |= params
        document["hypotheses"] = [document["hypotheses"][0] | {"metric": metric, "predict": {"op": ">", "value": 0.3}}]
        document["reproduction_tolerance"] = {}
        try:
            freeze_document(document)
        except RefusedInputError as error:
            return error.flaws
        return ()

    return asked


@pytest.fixture
def flaws(found):
    return lambda *asked, **params: [(flaw.pointer, flaw.code, flaw.detail) for flaw in found(*asked, **params)]


@pytest.fixture
def remedies(found):
    return lambda *asked, **params: [flaw.remedy for flaw in found(*asked, **params)]


@pytest.mark.parametrize(
    ("example", "metric", "params", "parameter"),
    [
        ("patch_grid", "mean_effect_denoising.mlp_L0", {}, "direction noising"),
        ("patch_grid", "mean_effect_noising.mlp_L0", {"direction": "denoising"}, "direction denoising"),
        ("patch_grid", "moves.mlp_L3", {"granularity": "head"}, "granularity head"),
        ("patch_grid", "moves.head_L0_H0", {"granularity": "component"}, "granularity component"),
        ("patch_grid", "mean_effect.embed", {}, "granularity component"),
        ("patch_grid", "mean_effect.bias_L0", {"granularity": "head"}, "granularity head"),
        ("direct_linear_attribution", "share.attn_L0", {"granularity": "head"}, "granularity head"),
        ("direct_linear_attribution", "share.head_L0_H0", {}, "granularity component"),
        ("direct_linear_attribution", "share.bias_L0", {}, "granularity component"),
        ("direct_linear_attribution", "share.norm_bias", {}, "granularity component"),
        ("direct_linear_attribution", "share.norm_bias", {"granularity": "head"}, "granularity head"),
    ],
)
def test_it_is_refused_with_the_parameter_that_is_in_the_way(flaws, example, metric, params, parameter):
    (flaw,) = flaws(example, metric, **params)
    assert flaw[:2] == ("/hypotheses/0/metric", "unmeasured_metric")
    assert parameter in flaw[2]


@pytest.mark.parametrize(
    ("example", "metric", "params"),
    [
        ("patch_grid", "mean_effect_denoising.mlp_L0", {"direction": "both"}),
        ("patch_grid", "moves.head_L0_H0", {"granularity": "head"}),
        ("patch_grid", "top_moves", {"granularity": "head"}),
        ("direct_linear_attribution", "share.embed", {}),
        ("direct_linear_attribution", "share.mlp_L0", {"granularity": "head"}),
    ],
)
def test_what_is_measured_can_be_filed(flaws, example, metric, params):
    assert flaws(example, metric, **params) == []


def test_a_parameter_that_has_no_such_value_is_the_only_flaw(flaws):
    (flaw,) = flaws("patch_grid", "moves.mlp_L0", granularity=["heads"])
    assert flaw[:2] == ("/instrument/params/granularity", "bad_params")


@pytest.mark.parametrize("part", ["kill_criteria", "reproduction_tolerance"])
def test_every_place_that_names_a_metric_is_looked_at(part):
    document = read_yaml((EXAMPLES / "patch_grid.yaml").read_bytes())
    at = {
        "kill_criteria": [{"id": "K", "metric": "moves.embed", "op": ">", "value": 2, "reason": "It is."}],
        "reproduction_tolerance": {"moves.embed": 0.1},
    }
    with pytest.raises(RefusedInputError) as error:
        freeze_document(document | {part: at[part]})
    (flaw,) = error.value.flaws
    assert flaw.code == "unmeasured_metric"
    assert flaw.pointer.startswith(f"/{part}/")


def test_another_parameter_is_proposed_only_where_it_helps(remedies):
    assert remedies("patch_grid", "moves.head_L0_H0") == [
        "Name a metric that it measures then, or choose another granularity."
    ]
    assert remedies("patch_grid", "moves.embed") == ["Name a metric that it measures."]


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("moves.mlp_L2", {}),
        ("moves.attn_L31", {}),
        ("moves.head_L2_H0", {"granularity": "head"}),
        ("moves.head_L0_H4", {"granularity": "head"}),
    ],
)
def test_a_component_that_tiny_does_not_have_is_refused(flaws, metric, params):
    (flaw,) = flaws("patch_grid", metric, **params)
    assert flaw[:2] == ("/hypotheses/0/metric", "unknown_component")
    assert metric.partition(".")[2] in flaw[2]


def test_components_at_the_edge_of_tiny_can_be_filed(flaws):
    assert flaws("patch_grid", "moves.mlp_L1") == []
    assert flaws("patch_grid", "moves.head_L1_H3", granularity="head") == []
