"""Patch grids against what existing tools do, one full forward for every patch at batch 1, on models of many shapes."""

import time

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from workers.models.families import anatomy_of
from workers.models.pair_runs import PatchPlan, Tally

LLAMA = {"hidden_size": 256, "intermediate_size": 1_024, "num_hidden_layers": 8, "num_attention_heads": 8}
GROUPED = {"hidden_size": 128, "intermediate_size": 512, "num_hidden_layers": 12, "num_attention_heads": 8}
MODELS = {
    "llama": ("llama", LLAMA),
    "grouped_llama": ("llama", GROUPED | {"num_key_value_heads": 2}),
    "gpt2": ("gpt2", {"n_embd": 192, "n_layer": 6, "n_head": 6}),
}
# The model, and the texts it is measured on: by default 60 to 120 tokens, the first half shared.
SHAPES = {
    "eight_layers": ("llama", {}),
    "grouped_queries": ("grouped_llama", {}),
    "gpt2": ("gpt2", {}),
    "little_shared": ("llama", {"shared": 0.125}),
    "nothing_shared": ("llama", {"shared": 0.0}),
    "short_texts": ("llama", {"shortest": 16, "longest": 32}),
}
LAYERS = {"llama": "num_hidden_layers", "gpt2": "n_layer"}
GRIDS = [(granularity, positions) for granularity in ("component", "head") for positions in ("all", "last")]


@pytest.fixture
def anatomy(request, full):
    """The model of the name; two layers of it are enough to see that the numbers agree."""
    family, shape = MODELS[request.param]
    torch.manual_seed(0)
    shape = shape if full else shape | {LAYERS[family]: 2}
    config = AutoConfig.for_model(family, vocab_size=1_000, num_labels=1, **shape)
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager")
    return anatomy_of(model.eval().requires_grad_(requires_grad=False))


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("grid", GRIDS, ids="-".join)
@pytest.mark.parametrize(("anatomy", "drawn"), SHAPES.values(), ids=SHAPES, indirect=["anatomy"])
def test_a_grid_of_patches(anatomy, drawn, grid, patching, side_by_side):
    granularity, positions = grid
    pairs, plan = patching.pairs(**drawn), PatchPlan(granularity, "end", positions, ("noising",))
    tally = Tally()

    def ours():
        tally.texts = tally.token_layers = tally.floor = 0
        return patching.grid(anatomy, pairs, plan, tally)

    found = side_by_side(
        ours,
        lambda: patching.one_forward_a_patch(anatomy, pairs, plan),
        ("grid", "one forward a patch"),
        time.process_time,
    )
    fewer = patching.token_layers(anatomy, pairs, plan) / tally.token_layers
    print(f"  token-layers: ratio {fewer:.2f}, the time's is {found.ratio / fewer:.2f} of it;", end=" ")
    print(f"{tally.token_layers / tally.floor:.3f} of the floor")
    torch.testing.assert_close(torch.tensor(found.ours), torch.tensor(found.theirs), rtol=1e-4, atol=1e-5)
    assert tally.token_layers <= 1.1 * tally.floor
