"""Rankings of components by plain formulas, as the instrument ranks them."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims.bundle.script import formulas

NAME = "attribution_patching_agreement"
COMPONENTS = ["attn_L0", "mlp_L0", "attn_L1", "mlp_L1"]
DIMENSIONS = ["brevity", "caution", "honesty", "kindness"]
RANKED_BY = ["abs", "signed", "signed_signed"]
# Multiples of 1/8: sums of them are exact, so that ties and zeros are the same in any order of adding up.
exact = st.integers(-16, 16).map(lambda eighths: eighths / 8)


@pytest.fixture
def rows(pair_rows):
    """Fourteen pairs a dimension, clusters of unequal size, one of them in every dimension; margins of either sign."""
    draw = random.Random(3)
    found = []
    for dimension in DIMENSIONS:
        for number in range(14):
            cluster = "shared" if number == 0 else f"{dimension}/{min(number, 10)}"
            differentials = {name: draw.gauss(place, 2) for place, name in enumerate(["embed", *COMPONENTS])}
            effects = {name: draw.gauss(-place, 2) for place, name in enumerate(COMPONENTS)}
            states = {"mlp_L1": "unreachable"} if number < 3 else {"attn_L0": "identical"} if number == 5 else {}
            found += pair_rows(
                f"{dimension}/{number}",
                differentials,
                effects,
                dimension=dimension,
                cluster=cluster,
                margin=draw.gauss(0.3, 1),
                states=states,
            )
    return found


@pytest.mark.parametrize("rank_by", RANKED_BY)
def test_every_metric_is_as_estimated(rows, recomputed, rank_by):
    found = recomputed(NAME, rows, {"rank_by": rank_by})
    assert {f"rho.{name}" for name in DIMENSIONS} | {"mean_rho", "negative_dimensions"} <= found.keys()
    assert {f"top_attribution_moves.{name}" for name in DIMENSIONS} <= found.keys()
    methods = ("reliability_attribution", "reliability_patching")
    assert {f"{method}.{name}" for method in methods for name in DIMENSIONS} <= found.keys()


@pytest.mark.parametrize("clusters", [2, 3, 5, 9, 33, 40])
def test_halves_of_any_number_of_clusters_are_those_that_the_instrument_compares(pair_rows, recomputed, clusters):
    draw, rows = random.Random(clusters), []
    for number in range(clusters):
        differentials = {name: draw.gauss(place, 2) for place, name in enumerate(COMPONENTS)}
        effects = {name: draw.gauss(place, 2) for place, name in enumerate(COMPONENTS)}
        rows += pair_rows(str(number), differentials, effects, dimension="caution")
    assert "reliability_patching.caution" in recomputed(NAME, rows)
    alone = [{**row, "cluster": "c"} for row in rows]
    assert "reliability_patching.caution" not in recomputed(NAME, alone)


def test_abs_is_what_is_ranked_by_where_nothing_is_stated(rows, recomputed):
    found = recomputed(NAME, rows, {})
    assert found == recomputed(NAME, rows, {"rank_by": "abs"})
    assert found != recomputed(NAME, rows, {"rank_by": "signed"})
    assert found == formulas(NAME)(iter(rows), {"instrument": {"name": NAME, "version": "1"}})


def test_patches_may_come_before_attributions(rows, recomputed):
    late = sorted(rows, key=lambda row: row["kind"], reverse=True)
    assert late[0]["kind"] == "patch"
    assert recomputed(NAME, late) == recomputed(NAME, rows)


def test_heads_leave_out_what_was_attributed_alone(pair_rows, recomputed):
    draw = random.Random(5)
    heads = [f"head_L{layer}_H{head}" for layer in range(2) for head in range(4)]
    rows = []
    for number in range(36):
        differentials = {name: draw.gauss(0, 1) for name in ["embed", *heads, "bias_L0", "mlp_L0", "mlp_L1"]}
        effects = {name: draw.gauss(0, 1) for name in heads}
        rows += pair_rows(str(number), differentials, effects, dimension=DIMENSIONS[number % 4])
    assert len(recomputed(NAME, rows, {"granularity": "head"})) >= 10


def test_one_cluster_gives_values_without_an_interval(rows, recomputed):
    alone = [{**row, "cluster": "c"} for row in rows]
    assert recomputed(NAME, alone)["mean_rho"] == pytest.approx(recomputed(NAME, rows)["mean_rho"])


def test_a_rho_of_exactly_nought_is_not_negative(pair_rows, recomputed):
    rows = []
    for number in range(16):
        effects = dict(zip(COMPONENTS, (2.0, 4.0, 1.0, 3.0) if number % 2 else (4.0, 3.0, 2.0, 1.0), strict=True))
        differentials = dict(zip(COMPONENTS, (1.0, 2.0, 3.0, 4.0), strict=True))
        rows += pair_rows(str(number), differentials, effects, dimension=DIMENSIONS[number % 2])
    found = recomputed(NAME, rows)
    assert (found["rho.caution"], found["rho.brevity"], found["negative_dimensions"]) == (0, -1, 1)


def test_a_dimension_without_a_rho_leaves_those_over_dimensions_undefined(rows, recomputed):
    still = [{**row, "state": "identical"} if row["dimension"] == "caution" else row for row in rows]
    found = recomputed(NAME, still)
    assert not {"rho.caution", "top_attribution_moves.caution", "mean_rho", "negative_dimensions"} & found.keys()
    assert "rho.brevity" in found


def test_a_patch_without_an_attribution_is_refused(rows, recomputed):
    lost = [row for row in rows if (row["kind"], row["component"]) != ("attribution", "mlp_L0")]
    with pytest.raises(ValueError, match="56 patched cells have no row of kind attribution"):
        formulas(NAME)(iter(lost), {"instrument": {"params": {}}})


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.sampled_from(RANKED_BY))
def test_ties_zeros_and_cells_left_out_are_treated_alike(pair_rows, recomputed, data, rank_by):
    rows = []
    state = st.sampled_from(["ok", "ok", "ok", "unreachable", "unreachable_window", "identical"])
    columns = st.lists(st.tuples(exact, exact, state), min_size=3, max_size=3)
    for number in range(data.draw(st.integers(1, 10), label="pairs")):
        cells = dict(zip(COMPONENTS, data.draw(columns), strict=False))
        rows += pair_rows(
            str(number),
            {name: cell[0] for name, cell in cells.items()},
            {name: cell[1] for name, cell in cells.items()},
            states={name: cell[2] for name, cell in cells.items()},
            dimension=data.draw(st.sampled_from(DIMENSIONS[:2])),
            cluster=f"c{data.draw(st.integers(0, 9))}",
            margin=data.draw(exact),
        )
    recomputed(NAME, rows, {"rank_by": rank_by})
