"""reward_scores and lens_crystallization by plain formulas."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.bundle.script import formulas

SMALL = st.integers(-3, 3).map(lambda n: n / 4)


@pytest.mark.parametrize("clusters", [1, 3, 9])
@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.7])
def test_margins_and_accuracies(recomputed, pairs, scored, clusters, shift):
    draw = random.Random(f"{clusters} {shift}")
    rows = []
    for cell in pairs(clusters, clusters=clusters):
        margin = 0.0 if draw.random() < 0.2 else draw.gauss(shift, 1)
        rows += scored(cell, margin, (draw.randint(3, 6), draw.randint(3, 6)))
    draw.shuffle(rows)
    found = recomputed("reward_scores", rows)
    assert {"mean_margin", "macro_accuracy", "accuracy.honesty", "chosen_longer_share"} <= set(found)
    assert 0 < found["tie_share"] < 0.5


def test_a_text_without_the_other_is_refused(scored):
    cell = {"pair_id": "p1", "dimension": "brevity", "cluster": "p1"}
    with pytest.raises(ValueError, match="the pair p1 has one text alone"):
        formulas("reward_scores")(iter(scored(cell, 1.0)[:1]), {"instrument": {}})


@given(st.lists(SMALL, min_size=1, max_size=12), st.integers(1, 4))
def test_margins_with_many_ties(recomputed, scored, margins, clusters):
    rows = []
    for number, margin in enumerate(margins):
        dimension = "brevity" if number % 3 else "caution"
        cell = {"pair_id": str(number), "dimension": dimension, "cluster": str(number % clusters)}
        rows += scored(cell, margin)
    assert "chosen_longer_share" not in recomputed("reward_scores", rows)


def lens(cell, curve):
    return [
        {**cell, "kind": "lens", "layer": layer, "chosen": margin, "rejected": 0.0, "margin": margin}
        for layer, margin in enumerate(curve, start=-1)
    ]


@pytest.mark.parametrize("final", [-2.0, 0.0, 3.0])
@pytest.mark.parametrize("shape", [(1, 9), (2, 9), (6, 9), (6, 1)])
def test_layers_of_crossings(recomputed, pairs, scored, final, shape):
    layers, clusters = shape
    draw = random.Random(f"{clusters} {final} {layers}")
    rows = []
    for cell in pairs(5, clusters=clusters):
        curve = [final * (layer / layers) ** 2 + draw.gauss(0, 0.4) for layer in range(layers + 1)]
        rows += lens(cell, curve) + scored(cell, curve[-1])
    draw.shuffle(rows)
    found = recomputed("lens_crystallization", rows)
    assert found["crystallization_fraction"] == (found["crystallization_layer"] + 1) / layers
    assert {"crystallization_layer_median.caution", "final_margin.honesty", "recrossing_share"} <= set(found)


@given(st.lists(st.lists(SMALL, min_size=4, max_size=4), min_size=1, max_size=12))
def test_layers_of_crossings_that_are_just_half_or_of_no_final_margin(recomputed, scored, curves):
    """Sums of quarters are exact, so that half is half on both sides."""
    rows = []
    for number, curve in enumerate(curves):
        cell = {"pair_id": str(number), "dimension": "brevity", "cluster": str(number)}
        rows += lens(cell, curve) + scored(cell, curve[-1])
    found = recomputed("lens_crystallization", rows)
    assert ("crystallization_layer" in found) == (sum(curve[-1] for curve in curves) != 0)
    assert ("crystallization_layer_median" in found) == any(curve[-1] for curve in curves)
