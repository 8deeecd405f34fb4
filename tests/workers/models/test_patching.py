from dataclasses import replace
from pathlib import Path

import pytest
import torch

from workers.models.loading import load_directory
from workers.models.pair_rows import PatchPlan, pair_rows
from workers.models.pairs import TokenText, common_prefix
from workers.models.patching import patch_every_component, patch_together, reachable, source_index
from workers.models.reading import read, score
from workers.refusals import RefusalError

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
NOISING = PatchPlan("end", "all", "noising")


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


def test_a_component_replaced_by_itself_changes_nothing_to_the_last_bit(llama):
    ids = torch.tensor([[1, 38, 175, 16, 126, 13]])
    reading = read(llama.sites, ids)
    everywhere = torch.arange(ids.shape[1]).unsqueeze(0)
    for name in llama.sites.components:
        assert torch.equal(patch_together(llama.sites, ids, [name], reading, everywhere)[0], reading.scores)


def test_the_batch_gives_what_one_naive_forward_a_patch_gives(llama):
    ids, other = torch.tensor([[1, 38, 175, 16, 126, 13]]), torch.tensor([[1, 38, 99, 17, 42]])
    clean, source = read(llama.sites, ids), read(llama.sites, other)
    where = source_index(TokenText(tuple(ids[0].tolist()), 2), TokenText(tuple(other[0].tolist()), 2), "end", "all")
    (patches,) = patch_every_component(llama.sites, ids, clean, source, where.unsqueeze(0))
    for name, patch in zip(llama.sites.components, patches, strict=True):
        own = clean.outputs[name].clone()
        own[:, -3:] = source.outputs[name][:, -3:]
        naive = score(llama.sites, ids, {name: lambda _, own=own: own})
        assert patch.change == pytest.approx(float(naive - clean.scores), abs=1e-5)
        assert patch.state == "ok"


def test_a_value_replaced_by_itself_is_told_as_identical(llama):
    ids = torch.tensor([[1, 38, 175, 16]])
    reading = read(llama.sites, ids)
    (patches,) = patch_every_component(llama.sites, ids, reading, reading, torch.tensor([[-1, -1, 2, 3]]))
    assert {patch.state for patch in patches} == {"identical"}


@pytest.fixture(scope="module")
def gpt2():
    """Its norm takes a mean before it squares: what is large enough overflows to NaN, and is no number less."""
    return load_directory(MODELS / "gpt2").sites


@pytest.mark.parametrize("component", [f"{kind}_L{layer}" for layer in range(4) for kind in ("attn", "mlp")])
@pytest.mark.parametrize("text", [0, 1])
@pytest.mark.parametrize("tokens", [1, 16_384])
def test_a_score_that_only_a_patch_makes_nan_is_refused_with_the_component(gpt2, monkeypatch, component, text, tokens):
    """In whichever text of the batch, and whether or not the components share one."""
    monkeypatch.setattr("workers.models.patching.TOKENS_A_FORWARD", tokens)
    ids = torch.tensor([[1, 38, 175, 16], [1, 38, 99, 17]])
    reading = read(gpt2, ids)
    large = reading.outputs[component].clone()
    large[text] = 1e30
    source = replace(reading, outputs={**reading.outputs, component: large})
    assert all(torch.isfinite(output).all() for output in source.outputs.values())
    with pytest.raises(RefusalError, match=f"not_finite: Patching {component} gives NaN or Inf"):
        patch_every_component(gpt2, ids, reading, source, torch.tensor([[-1, -1, 2, 3]] * 2))


def test_pairs_measured_together_or_alone_give_the_same(oracle):
    """Which pairs share a batch is an accident of their lengths; no number may hang on it."""
    pairs = oracle.pairs[:4]
    alone = [rows for pair in pairs for rows in pair_rows(oracle.checkpoint.sites, [pair], NOISING)]
    together = list(pair_rows(oracle.checkpoint.sites, [*pairs, *pairs], NOISING))
    for expected, found in zip([*alone, *alone], together, strict=True):
        for a, b in zip(expected, found, strict=True):
            values = [key for key in a if isinstance(a[key], float)]
            assert [b[key] for key in values] == pytest.approx([a[key] for key in values], rel=1e-5, abs=2e-5)
            assert {key: b[key] for key in b if key not in values} == {key: a[key] for key in a if key not in values}


def test_edits_leave_no_hook_behind(llama):
    ids = torch.tensor([[1, 38, 175]])
    before = score(llama.sites, ids, {})
    score(llama.sites, ids, {"mlp_L0": lambda output: output * 0})
    assert torch.equal(score(llama.sites, ids, {}), before)


def test_common_prefix():
    assert common_prefix([1, 2, 3], [1, 2, 4]) == 2
    assert common_prefix([1], [1, 2]) == 1
    assert common_prefix([], [1]) == 0
