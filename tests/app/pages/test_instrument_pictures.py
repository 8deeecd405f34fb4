"""Every instrument's pictures, from rows small enough to say what must be seen in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from app.pages.pictures.gallery import DRAWINGS
from app.pages.pictures.pictured import Pictured
from claims.instruments import catalogue, lens_crystallization
from claims.registration.model import Registration
from claims.rows import decode, encode

from .documents import pairs_registration
from .judged import evidence_of
from .pair_rows import attribution_rows, bias_rows, lens_rows, patch_rows, score_rows


def drawn(document: Mapping[str, Any], rows: bytes) -> Sequence[Pictured]:
    draw = DRAWINGS[document["instrument"]["name"]]
    return draw(decode(rows), Registration.model_validate(document), evidence_of(document, rows))


def hints(picture: Pictured) -> list[str]:
    return re.findall(r"<title>([^<]*)</title>", str(picture.drawn.wide))


def cells(picture: Pictured, first: str) -> list[str]:
    return next(list(row[1:]) for row in picture.rows if row[0] == first)


def test_every_instrument_has_its_pictures():
    assert DRAWINGS.keys() == catalogue().keys()


def test_reward_scores_show_every_measure_of_every_dimension_from_the_evidence_alone():
    document, rows = pairs_registration("reward_scores", "mean_margin"), score_rows(50)
    found = evidence_of(document, rows)
    margins, auroc = DRAWINGS["reward_scores"](iter(()), Registration.model_validate(document), found)
    assert [hint.split(":")[0] for hint in hints(margins)] == ["safety", "verbosity", "all pairs"]
    assert cells(margins, "safety")[:2] == ["0", "1.490"]
    assert cells(margins, "verbosity")[0] == "50"
    assert [hint.split(":")[0] for hint in hints(auroc)] == ["all pairs"]
    assert auroc.caption.endswith("under what was not measured: safety, verbosity."), "all right, and all wrong"
    assert "95\u202f% by delete-one jackknife t" in margins.caption
    document["analysis"]["interval"] = "wilson"
    (accuracy,) = drawn(document, rows)
    assert [hint.split(":")[0] for hint in hints(accuracy)] == ["safety", "verbosity", "all pairs"]
    assert cells(accuracy, "verbosity")[3].startswith("0.000")


def test_the_lens_marks_the_first_layer_at_half_of_the_final_margin():
    document = pairs_registration("lens_crystallization", "final_margin")
    whole, parts = drawn(document, lens_rows([0.0, 0.1, 0.6, 0.9, 1.0], pairs=50))
    assert "Diamond: first at half of it after layer 1." in whole.caption
    assert hints(whole)[-1] == "half at 1"
    assert [row[0] for row in whole.rows] == ["embedding", "0", "1", "2", "3"]
    assert whole.rows[0] == ["embedding", "0.000", "\u2013"], "the same in every pair: no error is known"
    estimate = evidence_of(document, lens_rows([0.0, 0.1, 0.6, 0.9, 1.0], pairs=50)).estimates["final_margin"]
    assert float(whole.rows[-1][1]) == pytest.approx(estimate.value, abs=1e-3)
    assert whole.rows[-1][2].startswith(f"[{estimate.lo:.3f}")
    assert [row[0] for row in parts.rows] == ["safety", "verbosity"]
    assert [row[1] for row in parts.rows] == ["1", "1"]


FEWEST = lens_crystallization.MANIFEST.fewest("jackknife_t", "final_margin")


@pytest.mark.parametrize(("pairs", "whole_banded", "parts_banded"), [(8, 0, 0), (FEWEST // 2, 1, 0), (FEWEST, 1, 1)])
def test_a_band_is_drawn_from_where_its_interval_holds_and_else_the_caption_says_why(
    pairs: int, whole_banded: int, parts_banded: int
):
    document = pairs_registration("lens_crystallization", "crystallization_layer")
    whole, parts = drawn(document, lens_rows([0.1, 0.6, 1.0], pairs=pairs))
    why = f"a jackknife-t interval of a mean margin holds from {FEWEST} independent clusters."
    assert ("Band: jackknife-t interval over clusters" in whole.caption) == bool(whole_banded)
    assert (f"No band for all pairs: {why}" in whole.caption) != bool(whole_banded)
    assert all((row[2] == "\u2013") != bool(whole_banded) for row in whole.rows)
    assert ("Band: jackknife-t interval over clusters" in parts.caption) == bool(parts_banded)
    assert (f"No band for safety, verbosity: {why}" in parts.caption) != bool(parts_banded)
    bands = [str(one.drawn.wide).count('opacity="0.18"') for one in (whole, parts)]
    assert bands == [whole_banded, 2 * parts_banded]


def test_a_band_is_that_of_the_final_margin_only_where_that_is_by_the_same_method():
    document, rows = pairs_registration("lens_crystallization", "final_margin"), lens_rows([0.1, 0.6, 1.0], pairs=50)
    assert "as that of final_margin is" in drawn(document, rows)[0].caption
    document["analysis"] |= {"interval": "studentised_bootstrap", "resamples": 2000}
    whole, _ = drawn(document, rows)
    assert "Band: jackknife-t interval over clusters" in whole.caption
    assert "final_margin" not in whole.caption


def test_curves_that_are_the_same_in_every_pair_have_no_band_and_say_so():
    document = pairs_registration("lens_crystallization", "final_margin")
    rows = [{**row, "margin": 1.0} if row["kind"] == "lens" else row for row in decode(lens_rows([1.0, 1.0], pairs=50))]
    whole, _ = drawn(document, encode(rows))
    assert "No band for all pairs: leaving out any cluster changes nothing" in whole.caption


def test_a_crossing_that_is_not_certain_is_said_to_be_so():
    document = pairs_registration("lens_crystallization", "final_margin")
    whole, _ = drawn(document, lens_rows([0.0, 0.4, 1.0], pairs=3))
    assert "did not find certain enough" in whole.caption
    assert "No band" in whole.caption


def test_attribution_shows_the_largest_first_and_every_layer():
    document = pairs_registration("direct_linear_attribution", "top_share")
    shares = {"embed": 0.01, "attn_L0": 0.1, "mlp_L0": -0.5, "attn_L1": 0.2, "mlp_L1": 0.3}
    largest, everywhere = drawn(document, attribution_rows(shares))
    assert [row[0] for row in largest.rows] == ["mlp_L0", "mlp_L1", "attn_L1", "attn_L0", "embed"]
    assert largest.caption.startswith("All components")
    assert cells(largest, "mlp_L0")[0] == "\u22120.725"
    assert {hint.split(":")[0] for hint in hints(everywhere)} == {"attn_L0", "mlp_L0", "attn_L1", "mlp_L1"}
    assert "Of no layer: embed: 0.015" in everywhere.caption


def test_of_many_heads_the_twenty_largest_are_listed_and_all_are_drawn():
    document = pairs_registration("direct_linear_attribution", "top_share", granularity="head")
    heads = {f"head_L{layer}_H{head}": 0.01 * (1 + 8 * layer + head) for layer in range(4) for head in range(8)}
    largest, everywhere = drawn(document, attribution_rows(heads))
    assert largest.caption.startswith("The 20 largest of 32 components")
    assert [row[0] for row in largest.rows][:2] == ["head_L3_H7", "head_L3_H6"]
    assert len(largest.rows) == 20
    assert len(everywhere.rows) == len(hints(everywhere)) == 32


@pytest.mark.parametrize("granularity", ["component", "head"])
def test_what_a_patch_could_not_reach_is_a_cross_and_never_a_zero(granularity: str):
    document = pairs_registration("patch_grid", "top_moves", granularity=granularity)
    name = {"component": "attn_L{}", "head": "head_L{}_H0"}[granularity]
    effects = {name.format(0): 0.4, name.format(1): -0.2, name.format(2): None}
    largest, everywhere = drawn(document, patch_rows(effects))
    assert [row[0] for row in largest.rows] == [name.format(0), name.format(1)]
    assert cells(everywhere, name.format(2)) == ["\u2013", "unreachable in every pair", "\u2013", "20 of 20"]
    assert f"{name.format(2)}: unreachable in every pair" in hints(everywhere)
    assert "Cross: nothing could be measured there, which is not zero" in everywhere.caption
    assert "lowers its reward" in largest.says


def test_nothing_is_drawn_where_no_patch_could_act():
    document = pairs_registration("patch_grid", "top_moves")
    assert list(drawn(document, patch_rows({"attn_L0": None}))) == []


def test_the_bias_forest_has_every_axis_and_length():
    document = pairs_registration("bias_battery", "max_abs_effect_size")
    forest, length = drawn(document, bias_rows(60))
    assert [hint.split(":")[0] for hint in hints(forest)] == ["safety", "verbosity", "length"]
    assert cells(forest, "safety")[0].startswith(cells(forest, "verbosity")[0].lstrip("\u2212")[:2])
    assert "[" in cells(forest, "safety")[1]
    assert "Hollow" not in forest.caption
    assert "Hollow" in length.caption, "60 clusters are too few for a jackknife of what is left at equal length"
    assert len(hints(length)) == 4


def test_the_gradients_guess_is_drawn_against_the_exact_effect():
    document = pairs_registration("attribution_patching", "relative_error")
    scatter, errors, *_ = drawn(document, patch_rows({"attn_L0": 0.4, "mlp_L0": -0.2, "attn_L1": None}, attributed=0.5))
    assert len(scatter.rows) == 4
    assert all("attn_L1" not in row for row in scatter.rows)
    exact, guess = (float(value.replace("\u2212", "-")) for value in scatter.rows[0][2:])
    assert guess == pytest.approx(exact / 2, rel=0.03)
    assert float(cells(errors, "all dimensions")[2]) == pytest.approx(0.5, abs=0.05)


def test_the_rank_flip_has_a_drawing_for_each_dimension_to_choose_from():
    document = pairs_registration("attribution_patching_agreement", "mean_rho")
    effects = {f"mlp_L{layer}": 0.1 * (layer + 1) for layer in range(5)}
    flip = next(one for one in drawn(document, patch_rows(effects, attributed=-2.0)) if one.choices)
    assert [choice.name.split(",")[0] for choice in flip.choices] == ["safety", "verbosity"]
    assert list(flip.marks) == [f"mlp_L{layer}" for layer in (4, 3, 2, 1, 0)]
    assert ["safety", "mlp_L4", "1", "1"] in [list(row) for row in flip.rows]
    assert "mlp_L4: 1 by attribution, 1 by patching" in str(flip.choices[0].drawn.wide)


def test_of_many_components_the_flip_draws_those_that_either_method_ranks_first():
    document = pairs_registration("attribution_patching_agreement", "mean_rho", granularity="head")
    effects = {f"head_L{layer}_H{head}": 0.01 * (1 + 16 * layer + head) for layer in range(4) for head in range(16)}
    flip = next(one for one in drawn(document, patch_rows(effects, attributed=1.0)) if one.choices)
    assert str(flip.choices[0].drawn.wide).count("<title>") == 20
    assert "those that either method ranks in its first 20" in flip.caption
    assert len(flip.rows) == 2 * 64
