"""Which patches are without effect by construction, whatever rounding makes of them."""

import pytest
import torch

from workers.models.families import anatomy_of
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally
from workers.models.pairs import TokenText
from workers.models.patching import WHOLE, matched, source_index

TAIL = [5, 17, 23, 9, 31, 12, 8, 27, 14, 33, 6, 19, 28, 11]
PAIRS = {
    "shifted": ([1, 7, *TAIL], [1, 8, 3, 2, *TAIL]),
    "in place": ([1, 7, *TAIL], [1, 8, *TAIL]),
}
WINDOW = 4
REACH = 3 * (WINDOW - 1)


@pytest.fixture(scope="module")
def windowed(make):
    """Every layer sees a few tokens alone, so that texts which end alike score alike."""
    return anatomy_of(make.model("mistral", sliding_window=WINDOW))


@pytest.mark.parametrize("texts", PAIRS)
@pytest.mark.parametrize("positions", ["all", "last"])
@pytest.mark.parametrize("granularity", ["component", "head"])
def test_what_windows_hide_changes_nothing(windowed, make, texts, positions, granularity):
    assert len(TAIL) > REACH
    plan = PatchPlan(granularity, "end", positions, ("noising", "denoising"))
    (rows,) = pair_rows(windowed, [make.pair(*PAIRS[texts])], Asked(patch=plan), Tally())
    cells = [row for row in rows if row["kind"] == "patch"]
    assert {(row["state"], row["effect"]) for row in cells} == {("identical", 0.0)}


def test_what_a_window_still_sees_changes_something(windowed, make):
    """The first token that differs is the furthest that the last layer sees through those before it."""
    tail = TAIL[-REACH:]
    pair = make.pair([1, 7, *tail], [1, 8, *tail])
    plan = PatchPlan("component", "end", "last", ("noising",))
    (rows,) = pair_rows(windowed, [pair], Asked(patch=plan), Tally())
    states = {row["component"]: row["state"] for row in rows if row["kind"] == "patch"}
    assert {name for name, state in states.items() if state == "ok"} == {"attn_L2", "mlp_L2"}


def test_no_difference_is_too_small_to_be_one(make):
    """A layer that whispers still says something else in either text."""
    model = make.model("llama")
    quiet = model.model.layers[2].mlp.down_proj.weight
    with torch.no_grad():
        quiet *= 1e-4
    plan = PatchPlan("component", "end", "all", ("noising",))
    (rows,) = pair_rows(anatomy_of(model), [make.pair([1, 7, 9], [1, 8, 9])], Asked(patch=plan), Tally())
    assert {row["state"] for row in rows if row["kind"] == "patch"} == {"ok"}


def test_how_far_back_texts_match():
    def runs(patched, source, alignment):
        texts = (TokenText(tuple(patched), 1), TokenText(tuple(source), 1))
        return matched(*texts, source_index(*texts, alignment, "all")).tolist()

    assert runs([1, 7, 5, 6], [1, 8, 5, 6], "start") == [WHOLE, 0, 1, 2]
    assert runs([1, 7, 5, 6], [1, 8, 3, 5, 6], "end") == [0, 0, 1, 2]
    assert runs([1, 8, 3, 5, 6], [1, 7, 5, 6], "end") == [0, 0, 0, 1, 2]
    assert runs([4, 4], [4, 4, 4], "end") == [1, 2]  # the longer text has one more before them
