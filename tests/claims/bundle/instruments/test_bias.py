"""bias_battery by plain formulas."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def bias(cell, delta, length):
    return {**cell, "kind": "bias", "axis": cell["dimension"], "delta": delta, "length_delta": length}


@pytest.mark.parametrize("clusters", [1, 14, 60])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_effects_and_length(recomputed, pairs, clusters, far):
    draw = random.Random(f"{clusters} {far}")
    rows = []
    for cell in pairs(6, sizes=(40, 60, 25), clusters=clusters):
        length = draw.randint(-9, 12)
        rows.append(bias(cell, far + 0.1 * length + draw.gauss(0.3, 1), length))
    found = recomputed("bias_battery", rows)
    of_axes = ("mean_delta", "effect_size", "length_adjusted_delta", "n_effective", "cohens_d", "sign_test_p")
    assert {f"{metric}.{axis}" for metric in of_axes for axis in ("brevity", "caution", "honesty")} <= set(found)
    assert {"length_slope", "length_effect_size", "max_abs_effect_size"} <= set(found)


def test_equal_deltas_have_no_effect_size_and_equal_lengths_no_slope(recomputed, pairs):
    """0.1 + 0.2 is not 0.3, and no spread either."""
    rows = [bias(cell, 0.1 + 0.2 if number % 2 else 0.3, 4) for number, cell in enumerate(pairs(7))]
    found = recomputed("bias_battery", rows)
    assert {name.partition(".")[0] for name in found} == {
        "mean_delta",
        "mean_length_delta",
        "n_effective",
        "sign_test_p",
    }


def test_the_largest_effect_is_not_known_where_that_of_an_axis_is_not(recomputed, pairs):
    draw = random.Random(9)
    rows = [
        bias(cell, 0.5 if cell["dimension"] == "caution" else draw.gauss(0, 1), draw.randint(-9, 9))
        for cell in pairs(9)
    ]
    found = recomputed("bias_battery", rows)
    assert {"effect_size.brevity", "mean_delta.caution"} <= set(found)
    assert not {"effect_size.caution", "max_abs_effect_size"} & set(found)


@pytest.mark.parametrize("seed", range(8))
def test_deltas_that_follow_from_length_leave_no_residual(recomputed, pairs, seed):
    """But for rounding, which falls to either side of 0."""
    draw = random.Random(seed)
    rows = [bias(cell, 1e3 + 0.7 * length, length) for cell in pairs(8) for length in [draw.randint(-9, 9)]]
    found = recomputed("bias_battery", rows)
    assert found["length_slope"] == pytest.approx(0.7)
    assert "length_effect_size" not in found


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.booleans()), min_size=1, max_size=16))
def test_few_pairs_with_ties(recomputed, values):
    rows = []
    for number, (delta, length, caution) in enumerate(values):
        dimension = "caution" if caution else "brevity"
        cell = {"pair_id": str(number), "dimension": dimension, "cluster": str(number % 13)}
        rows.append(bias(cell, delta / 2, length))
    recomputed("bias_battery", rows)
