"""Depths of crossings from rows of kind lens."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.instruments import lens_crystallization as instrument
from claims.instruments.answers import Asked
from claims.instruments.crossing_layer import layer_of_mean
from claims.instruments.lens_curves import Curves, first_crossing, last_crossing
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)


@pytest.fixture(autouse=True)
def _few(few_are_enough):
    few_are_enough(instrument)


LAYER = "crystallization_layer"
ASKED = Asked(instrument.MANIFEST, "jackknife_t", 0.95, None, SEEDS)

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = sorted(directory.name for directory in MODELS.iterdir() if directory.is_dir())
MARGINS = st.lists(st.floats(-10, 10, width=32), min_size=2, max_size=12)


def lens_rows(pair, margins, *, dimension="kindness", cluster=None):
    at = {"pair_id": pair, "dimension": dimension, "cluster": cluster or pair}
    lens = [
        {"kind": "lens", **at, "layer": layer, "chosen": margin + 1, "rejected": 1.0, "margin": margin}
        for layer, margin in enumerate(map(float, margins), start=-1)
    ]
    sides = (("chosen", float(margins[-1])), ("rejected", 0.0))
    return [*({"kind": "score", **at, "side": side, "score": score, "tokens": 4} for side, score in sides), *lens]


@pytest.fixture
def estimated(register):
    registration = register("lens_crystallization")

    def made(curves, **at):
        rows = [row for n, margins in enumerate(curves) for row in lens_rows(f"p{n}", margins, **at)]
        return instrument.estimate(rows, registration, SEEDS)

    return made


@pytest.mark.parametrize("family", FAMILIES)
def test_every_pair_of_the_recorded_models_crosses_where_it_is_recorded_to(family):
    truth = json.loads((MODELS / family / "expected.json").read_text())["pairs"]
    lenses = [pair["lens"] for pair in truth.values()]
    assert len(lenses) == 16
    for lens in lenses:
        assert first_crossing(np.array(lens["margin"])) == lens["crystallization"]


@pytest.mark.parametrize(
    ("margins", "first", "last"),
    [
        ([0, 1, 2, 4], 1, 1),
        ([2, 4], -1, -1),
        ([0, 0, 0, 3], 2, 2),
        ([0, 3, 1, 0, 5, 4], 0, 3),
        ([0, -1, -2, -4], 1, 1),
        ([0, 9, -2, -4], 1, 1),
        ([1, 0.4, 1], -1, 1),
    ],
)
def test_the_first_crossing_need_not_be_the_last(margins, first, last):
    assert (first_crossing(np.array(margins)), last_crossing(np.array(margins))) == (first, last)


@given(MARGINS)
def test_a_crossing_is_a_layer_at_half_and_none_before_is(margins):
    curve = np.array(margins)
    first, last = first_crossing(curve), last_crossing(curve)
    if curve[-1] == 0:
        assert first is None
        assert last is None
        return
    share = curve / curve[-1]
    assert share[first + 1] >= 0.5
    assert (share[: first + 1] < 0.5).all()
    assert (share[last + 1 :] >= 0.5).all()
    assert last == -1 or share[last] < 0.5
    assert first <= last


@given(MARGINS, st.sampled_from([-1.0, 2.0, -0.25]))
def test_neither_the_scale_of_the_reward_nor_the_order_of_the_pair_matters(margins, factor):
    curve = np.array(margins)
    if abs(curve[-1]) > 1e-3:
        assert first_crossing(curve * factor) == first_crossing(curve)


def noisy(mean, n, seed, *, scale=0.2):
    draw = np.random.default_rng(seed)
    mean = np.asarray(mean, dtype=float)
    return mean + scale * draw.normal(size=(n, len(mean)))


def test_what_is_clear_is_certain(estimated):
    found = estimated(noisy([0, 0, 0, 0, 1, 5, 6], 30, 1))
    layer = found.estimates["crystallization_layer"]
    assert (layer.value, layer.lo, layer.hi, layer.method, layer.n) == (4, 4, 4, "exact", 30)
    fraction = found.estimates["crystallization_fraction"]
    assert (fraction.value, fraction.lo, fraction.hi, fraction.method) == (*[pytest.approx(5 / 6)] * 3, "exact")
    assert found.estimates["final_margin"].value == pytest.approx(6, abs=0.2)
    assert found.estimates["crystallization_layer.kindness"] == layer


def test_what_is_near_half_is_an_interval(estimated):
    found = estimated(noisy([0, 0, 3.0, 3.0, 6], 12, 2, scale=1))
    layer = found.estimates["crystallization_layer"]
    assert (layer.lo, layer.hi, layer.method) == (1, 3, "jackknife_t")
    assert layer.value in {1, 2, 3}
    fraction = found.estimates["crystallization_fraction"]
    assert (fraction.lo, fraction.hi, fraction.method) == (2 / 4, 1, "jackknife_t")


def test_a_negative_preference_crystallizes_as_a_positive_one_does(estimated):
    curves = noisy([0, 1, 2.8, 3.2, 6], 12, 3, scale=1)
    first, second = estimated(curves).estimates, estimated(-curves).estimates
    assert first["crystallization_layer"] == second["crystallization_layer"]
    assert first["final_margin"].value == -second["final_margin"].value


def test_at_the_embedding_the_fraction_is_nought(estimated):
    found = estimated(noisy([5, 5, 5], 12, 4))
    assert found.estimates["crystallization_layer"].value == -1
    assert found.estimates["crystallization_fraction"].hi == 0


def test_where_margins_cross_again_the_first_crossing_counts_and_the_last_is_told(estimated):
    found = estimated(noisy([0, 5, 1, 5, 6], 30, 5))
    assert found.estimates["crystallization_layer"].hi == 0
    assert found.estimates["crystallization_layer_median"].hi == 0
    assert (found.counts["last_crossing_layer"], found.counts["last_crossing_layer.kindness"]) == (2, 2)
    assert (found.counts["first_crossing.0"], found.counts["last_crossing.2"]) == (30, 30)
    assert found.diagnostics == {"recrossing_share": 1, "recrossing_share.kindness": 1}


def test_a_final_margin_of_uncertain_sign_has_no_half(estimated):
    found = estimated(noisy([0, 0, 0], 12, 6))
    for metric in ("crystallization_layer", "crystallization_fraction"):
        assert metric not in found.estimates
        assert "sign of the mean final margin is not certain" in found.not_measured[metric]
    assert {"crystallization_layer_median", "final_margin"} <= set(found.estimates)


def test_pairs_that_are_all_alike_leave_no_error_known(estimated):
    found = estimated(np.tile([0.0, 1, 2], (12, 1)))
    assert set(found.estimates) == {"crystallization_layer_median", "crystallization_layer_median.kindness"}


def test_seven_clusters_are_too_few_for_any(estimated):
    found = estimated(noisy([0, 1, 6], 7, 7))
    assert found.estimates == {}
    assert all("7 independent clusters" in why for why in found.not_measured.values())
    assert len(found.not_measured) == 8


def test_the_median_is_over_the_pairs_own_depths(estimated):
    early, late = [0, 6, 6, 6, 6], [0, 0, 0, 0, 6]
    found = estimated([early] * 11 + [late] * 9).estimates["crystallization_layer_median"]
    assert (found.value, found.lo, found.hi, found.method) == (0, 0, 3, "exact")
    assert estimated([early] * 20).estimates["crystallization_layer_median"].hi == 0


@pytest.mark.parametrize(("late", "bounds"), [(5, (0, 0)), (6, (0, 3)), (14, (0, 3)), (15, (3, 3))])
def test_of_twenty_the_median_is_certain_by_the_sign_test_at_its_level(estimated, late, bounds):
    """Of 20 fair tosses, 15 or more have probability 0.0207 and 14 or more 0.0577."""
    curves = [[0, 0, 0, 0, 6]] * late + [[0, 6, 6, 6, 6]] * (20 - late)
    found = estimated(curves).estimates["crystallization_layer_median"]
    assert (found.lo, found.hi) == bounds


@pytest.mark.parametrize(("late", "bounds"), [(9, (0, 0)), (10, (0, 3)), (20, (0, 3)), (21, (3, 3))])
def test_of_thirty_too(estimated, late, bounds):
    """Of 30 fair tosses, 21 or more have probability 0.0214 and 20 or more 0.0494."""
    curves = [[0, 0, 0, 0, 6]] * late + [[0, 6, 6, 6, 6]] * (30 - late)
    found = estimated(curves).estimates["crystallization_layer_median"]
    assert (found.lo, found.hi) == bounds


@pytest.mark.parametrize(
    ("excesses", "hi"),
    [
        ([-9, 3.0, 4.0, 9, 9], 0),  # surely from layer 0 on: each alone
        ([-9, 2.4, 4.0, 9, 9], 1),  # not surely at layer 0, even alone: t of 11 at 0.0125 is 2.59
        ([-9, 3.0, -9, 4.0, 9], 2),  # alone but for the fall after it: among all layers t at 0.0025 is 3.50
        ([-9, 4.0, -9, 4.0, 9], 0),  # surely among all layers, whatever comes after
    ],
)
def test_the_upper_end_is_the_layer_surely_there_among_all_or_from_there_on(excesses, hi):
    """`excesses` over half of the final margin in standard errors of 12 pairs, which are all the noise there is."""
    noise = np.linspace(-1, 1, 12)
    noise *= 12**0.5 / noise.std(ddof=1)
    curves = 50.0 + np.add.outer(noise, np.array(excesses, dtype=float))
    final = 100 + 1e-3 * noise[:, None]
    names = tuple(map(str, range(12)))
    assert layer_of_mean(Curves(names, names, names, np.hstack([curves, final])), ASKED, LAYER).hi == hi


def test_a_pair_without_a_final_margin_is_counted_and_crosses_nowhere(estimated):
    found = estimated([*noisy([0, 6, 6], 12, 8), [0, 3, 0]])
    assert (found.counts["pairs"], found.counts["without_final_margin"], found.counts["ties"]) == (13, 1, 1)
    assert sum(found.counts.get(f"first_crossing.{layer}", 0) for layer in (-1, 0, 1)) == 12
    assert found.estimates["crystallization_layer_median"].n == 12
    none = estimated([[0, 3, 0]] * 9)
    assert "half of it is no place to reach" in none.not_measured["crystallization_layer"]
    assert none.not_measured["recrossing_share"]


def test_incomplete_rows_are_no_evidence(register):
    registration = register("lens_crystallization")
    rows = [*lens_rows("p", [0, 1, 2]), *lens_rows("q", [0, 1, 2])]
    with pytest.raises(ValueError, match="'q' has lens rows for the layers"):
        instrument.estimate(rows[:-1], registration, SEEDS)
    with pytest.raises(ValueError, match="two rows of kind lens"):
        instrument.estimate([*rows, rows[-1]], registration, SEEDS)
    with pytest.raises(ValueError, match="not those that have score rows"):
        instrument.estimate(
            [row for row in rows if (row["kind"], row["pair_id"]) != ("lens", "q")], registration, SEEDS
        )


LATE = [*np.linspace(0, 0.2, 13), 0.45, 0.6, 0.9, 1]
SHAPES = {
    "late": LATE,
    "linear": np.linspace(0, 1, 17),
    "creeping just below half": [*[0.499] * 13, 0.502, 0.7, 0.9, 1],
    "just above half early": [*[0] * 7, *[0.501] * 6, 0.6, 0.7, 0.9, 1],
    "crossing again": [*np.linspace(0, 0.2, 5), 0.8, 0.8, *[0.2] * 5, 0.3, 0.4, 0.6, 0.8, 1],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("skew", [0, -1])
def test_either_end_of_the_layers_interval_misses_as_rarely_as_it_says(shape, skew):
    """At 95 %, each tail at most 2.5 points, 0.75 more, and three Monte Carlo errors of 100 studies of 12 pairs."""
    mean, studies, names = np.array(SHAPES[shape]), 100, tuple(map(str, range(12)))
    true = first_crossing(mean)
    draw = np.random.default_rng(11)
    below = above = 0
    for _ in range(studies):
        shocks = skew * (draw.exponential(size=(12, 17)) - 1) if skew else draw.normal(size=(12, 17))
        found = layer_of_mean(Curves(names, names, names, mean + 0.1 * shocks.cumsum(axis=1)), ASKED, LAYER)
        if not isinstance(found, str):
            assert found.lo <= found.value <= found.hi
            below += found.hi < true
            above += found.lo > true
    assert max(below, above) <= studies * 0.0325 + 3 * (studies * 0.025 * 0.975) ** 0.5
