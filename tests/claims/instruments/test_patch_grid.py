import random
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from claims.design import check
from claims.evidence import Estimate
from claims.instruments import patch_grid as instrument
from claims.instruments.answers import Asked
from claims.instruments.grid import patched
from claims.instruments.patch_effects import TopComponent
from claims.registration.model import PairsDataset
from claims.registration.yaml_form import read_yaml
from claims.seeds import seeds_of
from claims.verdict.metric import judge

from .by_hand import jackknifed

SEEDS = seeds_of(bytes(32), "0" * 64)


@pytest.fixture(autouse=True)
def _few(few_are_enough):
    few_are_enough(instrument)


ASKED = Asked(instrument.MANIFEST, "jackknife_t", 0.95, None, SEEDS)

COMPONENTS = [f"{kind}_L{layer}" for layer in range(3) for kind in ("attn", "mlp")]


@pytest.fixture
def rows(pair_rows):
    """Fourteen pairs in twelve clusters; the last MLP is unreachable in four, attn_L0 identical in all."""
    draw = random.Random(5)
    found = []
    for number in range(14):
        effects = {name: draw.gauss(place / 2, 1) for place, name in enumerate(COMPONENTS)}
        states = {"attn_L0": "identical", **({"mlp_L2": "unreachable"} if number < 4 else {})}
        effects |= dict.fromkeys(states, 0.0)
        found += pair_rows(
            f"{number:02}", {}, effects, cluster=f"c{min(number, 11):02}", margin=draw.gauss(3, 1), states=states
        )
    return found


def both(rows):
    """The same pairs patched the other way too, with other effects."""
    other = [{**row, "direction": "denoising", "effect": row["effect"] / 2} for row in rows if row["kind"] == "patch"]
    return [*rows, *other]


TOP_MOVES = {
    "id": "H1",
    "statement": "It is.",
    "primary": True,
    "metric": "top_moves",
    "predict": {"op": ">", "value": 1},
}


def registered(register, **params):
    chosen = {"name": "patch_grid", "version": "1", "params": params}
    return register("patch_grid", instrument=chosen, hypotheses=[TOP_MOVES], reproduction_tolerance={})


def cells(rows, component, field, direction=None, without=None):
    return [
        row[field]
        for row in rows
        if (row["kind"], row.get("component"), row.get("state")) == ("patch", component, "ok")
        and row["cluster"] != without
        and direction in {None, row["direction"]}
    ]


def clusters_of(rows, component):
    return sorted(set(cells(rows, component, "cluster")))


@pytest.mark.parametrize("component", ["mlp_L0", "mlp_L1", "mlp_L2"])
def test_mean_effect_and_its_interval_by_hand(rows, register, component):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates[f"mean_effect.{component}"]
    value = mean(cells(rows, component, "effect"))
    clusters = clusters_of(rows, component)
    left_out = [mean(cells(rows, component, "effect", without=cluster)) for cluster in clusters]
    assert found.value == pytest.approx(value)
    assert (found.lo, found.hi) == pytest.approx(jackknifed(value, left_out, registration.level))
    assert (found.n, found.unit, found.method) == (len(clusters), "cluster", "jackknife_t")
    assert len(clusters) == (8 if component == "mlp_L2" else 12)


def test_moves_is_the_share_of_the_mean_margin_of_the_same_pairs(rows, register):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates["moves.attn_L2"]

    def moved(without=None):
        return sum(cells(rows, "attn_L2", "effect", without=without)) / sum(
            cells(rows, "attn_L2", "margin", without=without)
        )

    left_out = [moved(cluster) for cluster in clusters_of(rows, "attn_L2")]
    assert found.value == pytest.approx(moved())
    assert (found.lo, found.hi) == pytest.approx(jackknifed(moved(), left_out, registration.level))


def test_moves_does_not_know_the_sign(rows, register):
    registration = registered(register)
    mirrored = [{**row, "effect": -row["effect"]} if row["kind"] == "patch" else row for row in rows]
    there, here = (instrument.estimate(given, registration, SEEDS).estimates for given in (mirrored, rows))
    for component in COMPONENTS[1:-1]:
        assert there[f"moves.{component}"] == here[f"moves.{component}"]
        assert there[f"mean_effect.{component}"].value == -here[f"mean_effect.{component}"].value
    assert there["top_moves"] == here["top_moves"]


def test_a_component_that_could_never_act_is_not_measured_and_never_nought(rows, register):
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    for metric in ("mean_effect.attn_L0", "moves.attn_L0"):
        assert metric not in estimated.estimates
        assert estimated.not_measured[metric] == "identical in every pair"


def test_why_it_could_not_act_names_every_state(pair_rows, register):
    rows = []
    for number in range(9):
        states = {"mlp_L0": "unreachable" if number % 2 else "unreachable_window"}
        rows += pair_rows(f"{number}", {}, {"mlp_L0": 0.0}, states=states)
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    assert estimated.not_measured["moves.mlp_L0"] == "unreachable or unreachable_window in every pair"
    assert estimated.estimates["unreachable_share.mlp_L0"].value == 1
    assert list(estimated.estimates) == ["unreachable_share.mlp_L0"]
    assert "top_moves" in estimated.not_measured


def test_cells_left_out_are_counted_by_component_and_change_no_estimate(rows, register):
    registration = registered(register)
    estimated = instrument.estimate(rows, registration, SEEDS)
    counts = estimated.counts
    assert (counts["unreachable"], counts["unreachable.mlp_L2"]) == (4, 4)
    assert (counts["identical"], counts["identical.attn_L0"], counts["unreachable_window"]) == (14, 14, 0)
    assert (counts["pairs"], counts["clusters"], counts["cells"]) == (14, 12, 84)
    assert (counts["components"], counts["components_left_out"]) == (5, 1)
    loud = [{**row, "effect": 1e6} if row.get("state") not in {None, "ok"} else row for row in rows]
    assert instrument.estimate(loud, registration, SEEDS) == estimated


def test_the_unreachable_share_is_exact(rows, register):
    found = instrument.estimate(rows, registered(register), SEEDS).estimates["unreachable_share.mlp_L2"]
    assert found.value == found.lo == found.hi == 4 / 14
    assert found.method == "exact"
    assert instrument.estimate(rows, registered(register), SEEDS).estimates["unreachable_share.attn_L0"].value == 0


@pytest.mark.parametrize(("value", "outcome"), [(0.25, "confirmed"), (0.3, "refuted")])
def test_a_claim_about_what_is_zero_by_construction_can_be_filed_and_judged(rows, register, value, outcome):
    filed = read_yaml((Path(__file__).parents[3] / "examples" / "patch_grid.yaml").read_bytes())["hypotheses"]
    assert filed[0]["metric"] == "unreachable_share.mlp_L1"
    registration = register("patch_grid", hypotheses=[{**filed[0], "predict": {"op": ">=", "value": value}}])
    evidence = type("Evidence", (), {"nondeterminism": {}, "not_measured": {}})()
    share = instrument.estimate(rows, registration, SEEDS).estimates["unreachable_share.mlp_L2"]
    evidence.estimates = {"unreachable_share.mlp_L1": share}
    judged, void = judge(
        registration.hypotheses[0], registration, evidence, instrument.MANIFEST.metric("unreachable_share.mlp_L1")
    )
    assert (judged.outcome, void) == (outcome, None)


def test_both_directions_are_pooled_and_each_has_its_own_mean(rows, register):
    registration = registered(register, direction="both")
    given = both(rows)
    estimates = instrument.estimate(given, registration, SEEDS).estimates
    for component in COMPONENTS[1:]:
        assert estimates[f"mean_effect.{component}"].value == pytest.approx(mean(cells(given, component, "effect")))
        for direction in ("noising", "denoising"):
            alone = mean(cells(given, component, "effect", direction))
            assert estimates[f"mean_effect_{direction}.{component}"].value == pytest.approx(alone)
    counts = instrument.estimate(given, registration, SEEDS).counts
    assert (counts["pairs"], counts["cells"], counts["unreachable.mlp_L2"]) == (14, 168, 8)


def test_of_one_direction_there_is_one_mean(rows, register):
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    assert not [name for name in estimated.estimates if name.startswith(("mean_effect_noising", "mean_effect_den"))]
    assert "one direction" in estimated.not_measured["mean_effect_noising.<component>"]


def test_a_hypothesis_about_a_layer_that_the_model_does_not_have_is_told_why(rows, register_checkpoint):
    metric = "moves.mlp_L40"
    registration = register_checkpoint("patch_grid", hypotheses=[TOP_MOVES | {"metric": metric}])
    why = instrument.estimate(rows, registration, SEEDS).not_measured[metric]
    assert why == "no component mlp_L40 was patched: see the layers and heads of the model"


def test_where_one_component_is_clearly_ahead_top_moves_is_what_it_moves(register, pair_rows):
    draw = random.Random(1)
    clear = []
    for number in range(10):
        effects = {"attn_L0": draw.gauss(0, 0.1), "mlp_L0": draw.gauss(-4, 0.1), "attn_L1": draw.gauss(1, 0.1)}
        clear += pair_rows(f"{number}", {}, effects, margin=draw.gauss(5, 0.5))
    estimated = instrument.estimate(clear, registered(register), SEEDS)
    top, named = estimated.estimates["top_moves"], estimated.estimates["moves.mlp_L0"]
    assert (top.value, top.hi) == pytest.approx((named.value, named.hi))
    half = named.hi - named.value  # at a third of either tail: any of three components may be the one
    jointly = half * stats.t.ppf(1 - 0.025 / 3, 9) / stats.t.ppf(0.975, 9)
    assert top.lo == pytest.approx(named.value - jointly)
    assert {name: n for name, n in estimated.counts.items() if name.startswith("top.")} == {"top.mlp_L0": 10}


def held_out_by_hand(effects):
    """(G, C) one cell a cluster, margins 1."""
    total = 0.0
    for place in range(len(effects)):
        others = np.delete(effects, place, axis=0).mean(axis=0)
        chosen = int(np.abs(others).argmax())
        total += np.sign(others[chosen]) * effects[place, chosen]
    return total / len(effects)


@given(st.integers(0, 2**32 - 1))
def test_top_moves_is_read_off_the_clusters_that_did_not_choose(seed):
    effects = np.random.default_rng(seed).normal(size=(9, 5))
    ones = np.ones_like(effects)
    names = tuple(map(str, range(9))), tuple("abcde")
    top = TopComponent(*names, effects, ones, ones)
    assert top.value == pytest.approx(held_out_by_hand(effects))
    found = top.answer(ASKED)
    assert isinstance(found, Estimate)
    moved, errors = np.abs(effects.mean(axis=0)), stats.sem(effects, axis=0)
    lowest = (moved - stats.t.ppf(1 - 0.025 / 5, 8) * errors).max()
    highest = (moved + stats.t.ppf(0.975, 8) * errors).max()
    assert (found.value, found.lo, found.hi) == pytest.approx((top.value, min(lowest, top.value), highest))


@given(st.integers(0, 2**32 - 1))
def test_components_that_could_never_be_first_can_be_left_out(seed):
    draws = np.random.default_rng(seed)
    cells = draws.integers(0, 3, size=(9, 12)).astype(float)
    effects = (draws.normal(size=(9, 12)) + draws.choice([0, 0.5, 3], size=12)) * cells
    top = TopComponent(tuple(map(str, range(9))), tuple("abcdefghijkl"), effects, cells * 2, cells)
    fewer = top.contenders()
    assert set(fewer.components) <= set(top.components)
    assert fewer.times() == top.times()
    assert fewer.value == pytest.approx(top.value)


def test_what_is_far_behind_is_no_contender():
    ones = np.ones((9, 3))
    effects = np.random.default_rng(1).normal(size=(9, 3)) / 10 + [5, 0, 4.9]
    top = TopComponent(tuple(map(str, range(9))), ("ahead", "behind", "near"), effects, ones, ones)
    assert top.contenders().components == ("ahead", "near")


def test_the_largest_of_nothing_but_noise_is_not_taken_for_an_effect():
    draws = np.random.default_rng(3)
    plain, held_out = [], []
    for _ in range(60):
        effects = draws.normal(size=(12, 40))
        ones = np.ones_like(effects)
        held_out.append(TopComponent(tuple(map(str, range(12))), tuple(map(str, range(40))), effects, ones, ones).value)
        plain.append(np.abs(effects.mean(axis=0)).max())
    assert mean(plain) > 0.5
    assert abs(mean(held_out)) < 0.2


def test_swapping_the_sides_of_every_pair_swaps_the_directions(rows, register):
    """An effect is towards the other run: noising of swapped pairs is denoising of the pairs, with the sign turned."""
    registration = registered(register, direction="both")
    turned = {"noising": "denoising", "denoising": "noising"}
    swapped = [
        {**row, "direction": turned[row["direction"]], "effect": -row["effect"], "margin": -row["margin"]}
        for row in both(rows)
        if row["kind"] == "patch"
    ]
    there, here = (instrument.estimate(given, registration, SEEDS).estimates for given in (swapped, both(rows)))
    for component in COMPONENTS[1:]:
        noising, denoising = (there[f"mean_effect_{way}.{component}"].value for way in ("noising", "denoising"))
        assert noising == pytest.approx(-here[f"mean_effect_denoising.{component}"].value)
        assert denoising == pytest.approx(-here[f"mean_effect_noising.{component}"].value)
        assert there[f"moves.{component}"].value == pytest.approx(here[f"moves.{component}"].value)


def test_the_order_of_rows_does_not_matter(rows, register):
    registration = registered(register)
    shuffled = random.Random(1).sample(rows, len(rows))
    there, here = (
        instrument.estimate(iter(shuffled), registration, SEEDS),
        instrument.estimate(rows, registration, SEEDS),
    )
    assert there.counts == here.counts
    assert there.not_measured == here.not_measured
    assert there.estimates.keys() == here.estimates.keys()
    for name, found in there.estimates.items():
        wanted = here.estimates[name]
        assert (found.value, found.lo, found.hi) == pytest.approx((wanted.value, wanted.lo, wanted.hi)), name


def test_few_clusters_leave_estimates_out_and_shares_in(rows, register):
    few = [row for row in rows if row["cluster"] < "c07"]
    estimated = instrument.estimate(few, registered(register), SEEDS)
    assert all(name.startswith("unreachable_share.") for name in estimated.estimates)
    assert "7 independent clusters" in estimated.not_measured["moves.mlp_L1"]
    assert "7 independent clusters" in estimated.not_measured["top_moves"]


def test_effects_that_are_all_the_same_have_no_error(pair_rows, register):
    rows = [row for number in range(9) for row in pair_rows(f"{number}", {}, {"mlp_L0": 2.0}, margin=4.0)]
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    assert "mean_effect.mlp_L0" not in estimated.estimates
    assert "2" in estimated.not_measured["mean_effect.mlp_L0"]


def test_no_rows_give_no_estimates(register):
    estimated = instrument.estimate([], registered(register), SEEDS)
    assert estimated.estimates == {}
    assert estimated.counts["pairs"] == 0


def test_cost_grows_with_heads_and_directions(register):
    dimensions = register("patch_grid").subject.dataset
    assert isinstance(dimensions, PairsDataset)
    counts = dict.fromkeys(dimensions.dimensions, 32)
    forwards = {
        (granularity, direction): instrument.cost(
            registered(register, granularity=granularity, direction=direction), counts
        ).forwards
        for granularity in ("component", "head")
        for direction in ("noising", "both")
    }
    assert forwards["component", "noising"] < forwards["head", "noising"] < forwards["head", "both"]
    assert check(register("patch_grid"), "committed", counts)["cost"]["forwards"] == forwards["component", "noising"]


def test_the_grid_lays_out_what_the_rows_say(rows):
    laid = patched(rows)
    assert laid.components == tuple(COMPONENTS)
    assert laid.effect[0].tolist() == [row["effect"] for row in rows if row["kind"] == "patch"][:6]
