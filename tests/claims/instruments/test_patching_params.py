"""Which of the parameters of patching each instrument offers."""

import pytest

from claims.instruments import catalogue
from claims.registration.subject_checks import flaws_of_params

OFFERED = {
    ("patch_grid", "granularity"): ["component", "head"],
    ("patch_grid", "direction"): ["noising", "denoising", "both"],
    ("attribution_patching", "granularity"): ["component", "head"],
    ("attribution_patching", "direction"): ["noising", "denoising", "both"],
    ("attribution_patching_agreement", "granularity"): ["component", "head"],
    ("attribution_patching_agreement", "direction"): ["noising", "denoising"],
    ("planted_key_recovery", "granularity"): ["component"],
    ("planted_key_recovery", "direction"): ["noising", "denoising"],
}
INSTRUMENTS = sorted({name for name, _ in OFFERED})


@pytest.mark.parametrize(("name", "parameter"), OFFERED)
def test_what_an_instrument_can_rank_by_is_what_it_offers(name, parameter):
    rule = catalogue()[name].MANIFEST.params["properties"][parameter]
    assert rule["enum"] == OFFERED[name, parameter]
    assert rule["default"] == rule["enum"][0]


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_alignment_and_positions_are_everyones(name):
    properties = catalogue()[name].MANIFEST.params["properties"]
    assert properties["alignment"]["enum"] == ["end", "start"]
    assert properties["positions"]["enum"] == ["all", "response", "last"]


@pytest.mark.parametrize("name", ["attribution_patching_agreement", "planted_key_recovery"])
def test_a_ranking_needs_one_direction(name):
    (flaw,) = flaws_of_params({"direction": "both"}, catalogue()[name].MANIFEST.params, "/instrument/params")
    assert flaw.pointer == "/instrument/params/direction"
    assert flaw.remedy == "Use one of noising, denoising."
