import numpy as np
import pytest

from claims.instruments.grid import grids, mean_of_joined


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
