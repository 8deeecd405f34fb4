import numpy as np
import pytest

from claims.instruments.grid import grids, mean_of_joined, patched


def test_pairs_by_components_with_what_cannot_be_ranked_marked(pair_rows):
    rows = [
        *pair_rows("a", {"attn_L0": 1, "mlp_L0": 2}, {"attn_L0": 3, "mlp_L0": 4}, cluster="x", margin=-1),
        *pair_rows("b", {"attn_L0": 5, "mlp_L0": 6}, {"attn_L0": 0, "mlp_L0": 8}, states={"attn_L0": "unreachable"}),
    ]
    grid = grids(rows, by="dimension")["planted_key"]
    assert grid.components == ("attn_L0", "mlp_L0")  # the embedding is never patched
    assert grid.pairs == ("a", "b")
    assert grid.clusters == ("x", "b")
    assert grid.differential.tolist() == [[1, 2], [5, 6]]
    assert grid.effect.tolist() == [[3, 4], [0, 8]]
    assert grid.joined.tolist() == [[True, True], [False, True]]
    assert grid.negative_margins == 1
    assert grid.states == {"ok": 3, "unreachable": 1}
    assert mean_of_joined(grid.effect, grid.joined).tolist() == [3, 6]


def test_a_component_that_no_patch_reached_has_no_mean():
    means = mean_of_joined(np.ones((2, 2)), np.array([[False, True], [False, True]]))
    assert np.isnan(means[0])
    assert means[1] == 1


def test_a_cell_has_one_row_of_a_kind(pair_rows):
    rows = pair_rows("a", {"attn_L0": 1}, {"attn_L0": 1})
    with pytest.raises(ValueError, match="two rows of kind attribution"):
        grids([*rows, *rows], by="dimension")


def test_a_patched_cell_was_attributed_too(pair_rows):
    with pytest.raises(KeyError):
        grids(pair_rows("a", {}, {"attn_L0": 1}), by="dimension")


def test_a_pair_attributed_and_never_patched_is_missing_rows(pair_rows):
    rows = [*pair_rows("a", {"attn_L0": 1}, {"attn_L0": 1}), *pair_rows("b", {"attn_L0": 1}, {})]
    with pytest.raises(KeyError, match="b"):
        grids(rows, by="dimension")


def test_a_pair_patched_at_some_components_only_is_missing_rows(pair_rows):
    rows = [*pair_rows("a", {"attn_L0": 1}, {"attn_L0": 1}), *pair_rows("b", {}, {"mlp_L0": 1})]
    with pytest.raises(KeyError, match="no row of kind patch"):
        patched(rows)


def test_a_state_that_there_is_not_is_refused(pair_rows):
    with pytest.raises(KeyError, match="lost"):
        patched(pair_rows("a", {}, {"attn_L0": 1}, states={"attn_L0": "lost"}))


def test_what_was_attributed_alone_is_named_and_in_no_array(pair_rows):
    rows = pair_rows("a", {"head_L0_H0": 1, "bias_L0": 2, "mlp_L0": 3}, {"head_L0_H0": 4})
    grid = grids(rows, by="dimension")["planted_key"]
    assert grid.components == ("head_L0_H0",)
    assert grid.attributed_alone == {"embed", "bias_L0", "mlp_L0"}
    assert (grid.attribution_rows, grid.differential.tolist()) == (4, [[1]])


def in_both(pair_rows):
    """One pair, patched and attributed in both directions; denoising cannot reach."""
    noising = [{**row, "direction": "noising"} for row in pair_rows("a", {"attn_L0": 1}, {"attn_L0": 2}, margin=-3)]
    changed = {"effect": 5.0, "differential": 4.0, "state": "unreachable", "direction": "denoising"}
    other = [{**row, **{name: value for name, value in changed.items() if name in row}} for row in noising]
    return [*noising, *(row for row in other if row["kind"] != "score")]


def test_two_directions_of_a_pair_are_two_runs_of_it(pair_rows):
    grid = grids(in_both(pair_rows), by="dimension", directed=True)["planted_key"]
    assert (grid.pairs, grid.directions) == (("a", "a"), ("noising", "denoising"))
    assert (grid.effect.tolist(), grid.differential.tolist()) == ([[2], [5]], [[1], [4]])
    assert grid.negative_margins == 1
    alone = patched(in_both(pair_rows)).in_direction("denoising")
    assert (alone.pairs, alone.effect.tolist(), alone.margin.tolist()) == (("a",), [[5]], [-3])
    assert alone.cells_in("unreachable", "identical").tolist() == [1]


def test_two_directions_where_one_was_asked_for_are_a_cell_too_many(pair_rows):
    with pytest.raises(ValueError, match="two rows"):
        grids(in_both(pair_rows), by="dimension")


class Watched(dict):
    alive = 0
    most = 0

    def __init__(self, row):
        super().__init__(row)
        Watched.alive += 1
        Watched.most = max(Watched.most, Watched.alive)

    def __del__(self):
        Watched.alive -= 1


def test_no_row_is_held(pair_rows):
    names = dict.fromkeys((f"head_L{layer}_H{head}" for layer in range(4) for head in range(8)), 1.0)
    rows = (Watched(row) for number in range(20) for row in pair_rows(f"{number:02}", names, names))
    assert grids(rows, by="dimension")["planted_key"].effect.shape == (20, 32)
    assert Watched.alive == 0
    assert Watched.most <= 2
