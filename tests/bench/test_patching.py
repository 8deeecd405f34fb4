"""Patch grids against what existing tools do: one full forward for every patch, at batch 1."""

import random

import pytest
import torch
from transformers import LlamaConfig, LlamaForSequenceClassification

from workers.models.families import anatomy_of
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally
from workers.models.pairs import TokenPair, TokenText
from workers.models.patching import sites_of, source_index
from workers.models.reading import read, score


def eight_layers():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1_000,
        hidden_size=256,
        intermediate_size=1_024,
        num_hidden_layers=8,
        num_attention_heads=8,
        num_key_value_heads=8,
        num_labels=1,
        attn_implementation="eager",
    )
    return anatomy_of(LlamaForSequenceClassification(config).eval().requires_grad_(requires_grad=False))


def pairs_of(count):
    """Texts of about 60 to 120 tokens, the first half in common."""
    draw = random.Random(0)

    def tokens(length):
        return tuple(draw.randrange(3, 1_000) for _ in range(length))

    made = []
    for number in range(count):
        length = draw.randint(60, 120)
        shared = (1, *tokens(length // 2 - 1))
        sides = [TokenText((*shared, first, *tokens(length - length // 2 - 1)), length // 2) for first in (1, 2)]
        made.append(TokenPair(str(number), "speed", str(number), *sides))
    return made


def one_forward_a_patch(anatomy, pair, plan):
    """The effects (C,) of one pair by the model's own forward, clean runs included."""
    ids, other = (torch.tensor([text.ids]) for text in (pair.chosen, pair.rejected))
    index = source_index(pair.chosen, pair.rejected, plan.alignment, plan.positions)
    where = torch.nonzero(index >= 0)[:, 0]
    said, clean = read(anatomy, other).outputs, score(anatomy, ids, {})
    effects = []
    for site in sites_of(anatomy, plan.granularity):
        name = f"heads_L{site.layer}" if site.kind == "heads" else site.name
        width = said[name].shape[-1] // (anatomy.blocks[site.layer].heads if site.kind == "heads" else 1)
        columns = slice(site.head * width, (site.head + 1) * width)

        def edit(output, name=name, columns=columns):
            changed = output.clone()
            changed[:, where, columns] = said[name][:, index[where], columns]
            return changed

        effects.append(float(clean - score(anatomy, ids, {name: edit})))
    return effects


@pytest.mark.parametrize("positions", ["all", "last"])
@pytest.mark.parametrize("granularity", ["component", "head"])
def test_a_grid_of_patches(granularity, positions, full, side_by_side):
    anatomy, plan = eight_layers(), PatchPlan(granularity, "end", positions, ("noising",))
    pairs, tally = pairs_of(12 if full else 1), Tally()

    def ours():
        rows = pair_rows(anatomy, pairs, Asked(patch=plan), tally)
        return [[row["effect"] for row in of_pair if row["kind"] == "patch"] for of_pair in rows]

    def theirs():
        return [one_forward_a_patch(anatomy, pair, plan) for pair in pairs]

    fast, slow = side_by_side(ours, theirs, ("grid", "one forward a patch"))
    print(f"token-layers evaluated: {tally.token_layers / tally.floor:.3f} of the floor")
    torch.testing.assert_close(torch.tensor(fast), torch.tensor(slow), rtol=1e-4, atol=1e-5)
    assert tally.token_layers <= 1.1 * tally.floor
