import pytest
import torch

from workers.models.pairs import TokenText, common_prefix
from workers.models.patching import reachable, source_index
from workers.models.reading import score


def index(patched, source, alignment, positions, response=2):
    texts = (TokenText(tuple(patched), response), TokenText(tuple(source), response))
    return source_index(*texts, alignment, positions).tolist()


def test_end_aligns_what_follows_the_prefix_backwards():
    assert index([1, 2, 3, 4, 5], [1, 2, 9, 8], "end", "all") == [-1, -1, -1, 2, 3]
    assert index([1, 2, 9, 8], [1, 2, 3, 4, 5], "end", "all") == [-1, -1, 3, 4]


def test_end_aligns_the_last_token_at_least():
    assert index([1, 2, 3], [1, 2, 3, 4], "end", "all") == [-1, -1, 3]


def test_start_aligns_index_by_index_and_leaves_what_has_no_counterpart():
    assert index([1, 2, 3, 4, 5], [1, 2, 9, 8], "start", "all") == [-1, -1, 2, 3, -1]


def test_last_touches_the_final_token_alone():
    assert index([1, 2, 3, 4], [1, 2, 9], "end", "last") == [-1, -1, -1, 2]
    assert index([1, 2, 3], [1, 2, 9, 8], "start", "last") == [-1, -1, 2]
    assert index([1, 2, 3, 4], [1, 2, 9], "start", "last") == [-1, -1, -1, -1]


def test_response_leaves_the_prompt_alone():
    # Tokens of a prompt can differ where a tokenizer merges its end with the response's beginning.
    assert index([1, 7, 3, 4], [1, 8, 9, 6], "end", "all") == [-1, 1, 2, 3]
    assert index([1, 7, 3, 4], [1, 8, 9, 6], "end", "response") == [-1, -1, 2, 3]


@pytest.mark.parametrize(
    ("taken", "windows", "state"),
    [
        ([0, 0, 1], [], "ok"),  # the last token itself
        ([0, 1, 0], [], "unreachable"),  # no attention layer after it
        ([0, 0, 0], [None], "unreachable"),  # nothing patched
        ([1, 0, 0], [None], "ok"),
        ([1, 0, 0], [2], "unreachable_window"),  # seen one token further on, and no more
        ([1, 0, 0], [2, 2], "ok"),
        ([1, 0, 0], [3], "ok"),
        ([1, 0, 0], [2, None], "ok"),
    ],
)
def test_what_can_reach_the_last_token(taken, windows, state):
    assert reachable(torch.tensor(taken) - 1, windows) == state


def test_edits_leave_no_hook_behind(llama):
    ids = torch.tensor([[1, 38, 175]])
    before = score(llama.anatomy, ids, {})
    score(llama.anatomy, ids, {"mlp_L0": lambda output: output * 0})
    assert torch.equal(score(llama.anatomy, ids, {}), before)


def test_common_prefix():
    assert common_prefix([1, 2, 3], [1, 2, 4]) == 2
    assert common_prefix([1], [1, 2]) == 1
    assert common_prefix([], [1]) == 0
