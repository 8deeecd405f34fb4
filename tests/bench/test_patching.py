"""Patching every component: variants as rows of one batch, against one forward for each patch."""

from pathlib import Path

import pytest
import torch

from claims.pairs import read_pairs
from workers.models.loading import load_directory
from workers.models.patching import patch_every_component, patch_together, source_index
from workers.models.reading import read

MODELS = Path(__file__).parents[1] / "fixtures" / "models"


@pytest.mark.parametrize("family", ["llama-gqa", "gpt2"])
def test_patching_in_one_batch(family, full, side_by_side):
    subject = load_directory(MODELS / family)
    pairs = [subject.writing.encode(pair) for pair in read_pairs((MODELS / family / "pairs.jsonl").read_bytes()).rows]
    sites = subject.sites
    jobs = []
    for pair in pairs if full else pairs[:2]:
        chosen, rejected = (torch.tensor([text.ids]) for text in (pair.chosen, pair.rejected))
        index = source_index(pair.chosen, pair.rejected, "end", "all")[None]
        jobs.append((chosen, read(sites, chosen), read(sites, rejected), index))

    def batched():
        return [[cell.change for cell in patch_every_component(sites, *job)[0]] for job in jobs]

    def one_by_one():
        return [
            [
                float(patch_together(sites, ids, [name], source, index)[0, 0] - clean.scores[0])
                for name in sites.components
            ]
            for ids, clean, source, index in jobs
        ]

    ours, theirs = side_by_side(batched, one_by_one, ("one batch", "one forward a patch"))
    torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs), rtol=1e-4, atol=1e-5)
