"""patch_grid and attribution_patching by plain formulas."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.bundle.script import formulas

COMPONENTS = [f"{kind}_L{layer}" for layer in range(3) for kind in ("attn", "mlp")]
STATES = ("unreachable", "unreachable_window", "identical")
DIRECTIONS = {"noising": ["noising"], "denoising": ["denoising"], "both": ["noising", "denoising"]}
# Multiples of 1/4: their sums are exact in whatever order they are added up.
exact = st.integers(-6, 6).map(lambda quarters: quarters / 4)


def cell_states(draw, number):
    """The last MLP is never reached, the one before is in some pairs, and some other cells hold the same value."""
    seldom = {name: draw.choice(STATES) for name in COMPONENTS if draw.random() < 0.1}
    return {**seldom, **({"mlp_L1": "unreachable"} if number < 9 else {}), "mlp_L2": "unreachable_window"}


@pytest.fixture
def grid_rows(pairs, pair_rows):
    def made(seed, direction, clusters=9):
        draw, found = random.Random(f"{seed} {direction}"), []
        for number, cell in enumerate(pairs(seed, clusters=clusters)):
            margin = draw.gauss(0.5, 1)
            for way in DIRECTIONS[direction]:
                effects = {name: draw.gauss(place / 2 - 1, 1) for place, name in enumerate(COMPONENTS)}
                guesses = {name: effect + draw.gauss(0, 0.5) for name, effect in effects.items()}
                states = cell_states(draw, number)
                more = {"dimension": cell["dimension"], "cluster": cell["cluster"], "direction": way}
                found += pair_rows(cell["pair_id"], guesses, effects, margin=margin, states=states, **more)
        draw.shuffle(found)
        return found

    return made


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("clusters", [1, 2, 9, 30])
def test_effects_of_patching(recomputed, grid_rows, direction, clusters):
    found = recomputed("patch_grid", grid_rows(2, direction, clusters), {"direction": direction})
    assert found["unreachable_share.mlp_L2"] == 1
    assert not {"mean_effect.mlp_L2", "moves.mlp_L2"} & set(found)
    assert ("mean_effect_noising.attn_L0" in found) == (direction == "both")
    assert ("top_moves" in found) == (clusters > 1)


def test_of_both_directions_one_may_never_act(recomputed, grid_rows):
    stuck = [
        {**row, "state": "unreachable"} if (row["kind"], row["direction"]) == ("patch", "denoising") else row
        for row in grid_rows(7, "both", 30)
    ]
    found = recomputed("patch_grid", stuck, {"direction": "both"})
    assert found["mean_effect_noising.attn_L0"] == found["mean_effect.attn_L0"]
    assert not [name for name in found if name.startswith("mean_effect_denoising")]


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("clusters", [1, 9])
def test_errors_of_estimated_effects(recomputed, grid_rows, direction, clusters):
    found = recomputed("attribution_patching", grid_rows(3, direction, clusters), {"direction": direction})
    names = {"rank_agreement", "relative_error", "sign_agreement", "majority_sign"}
    assert names | {f"{name}.honesty" for name in names} == {name for name in found if name in names or "hon" in name}


def test_a_dimension_without_a_ranking_leaves_their_mean_undefined(recomputed, grid_rows):
    still = [
        {**row, "state": "identical"} if (row["kind"], row["dimension"]) == ("patch", "caution") else row
        for row in grid_rows(3, "noising")
    ]
    found = recomputed("attribution_patching", still)
    assert "rank_agreement.honesty" in found
    assert not {"rank_agreement", "rank_agreement.caution", "relative_error.caution"} & found.keys()


def test_a_document_need_not_state_parameters(recomputed, grid_rows):
    rows = grid_rows(2, "noising")
    unstated = {"instrument": {"name": "patch_grid", "version": "1"}}
    assert formulas("patch_grid")(iter(rows), unstated) == recomputed("patch_grid", rows)


def test_heads(recomputed, pairs, pair_rows):
    draw, rows = random.Random(4), []
    for cell in pairs(4):
        effects = {f"head_L{layer}_H{head}": draw.gauss(layer - head, 1) for layer in range(2) for head in range(3)}
        rows += pair_rows(cell["pair_id"], effects, effects, dimension=cell["dimension"], cluster=cell["cluster"])
    assert "moves.head_L1_H2" in recomputed("patch_grid", rows, {"granularity": "head"})
    assert recomputed("attribution_patching", rows, {"granularity": "head"})["rank_agreement"] == 1


@pytest.mark.parametrize("instrument", ["patch_grid", "attribution_patching"])
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_ties_zeros_and_margins_that_cancel(recomputed, pair_rows, instrument, data):
    rows = []
    for number in range(data.draw(st.integers(1, 12), label="pairs")):
        effects = {name: data.draw(exact) for name in COMPONENTS[:3]}
        guesses = {name: data.draw(exact) for name in COMPONENTS[:3]}
        states = {name: data.draw(st.sampled_from(("ok", "ok", *STATES))) for name in COMPONENTS[:3]}
        dimension, cluster = data.draw(st.sampled_from(("brevity", "caution"))), f"c{number % 9}"
        rows += pair_rows(
            str(number), guesses, effects, dimension=dimension, cluster=cluster, margin=data.draw(exact), states=states
        )
    recomputed(instrument, rows)
