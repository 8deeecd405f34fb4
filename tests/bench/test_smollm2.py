"""Patch grids on the reward model that `make study` trains from SmolLM2, against one forward a patch."""

import time

import pytest
import torch

from claims.diagnostic import diagnostic
from examples.smollm2.model_root import DIRECTORY, model_root
from workers.models.loading import load_directory
from workers.models.pair_runs import PatchPlan, Tally

PAIRS = 2

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def checkpoint(full):
    if not full:
        pytest.skip("a real model is measured by `make bench` alone")
    directory = model_root() / DIRECTORY
    if not directory.is_dir():
        pytest.skip(f"there is no {directory}: make study builds it")
    return load_directory(directory)


@pytest.mark.parametrize("granularity", ["component", "head"])
def test_a_grid_of_patches_on_smollm2(checkpoint, granularity, patching, side_by_side):
    pairs = [checkpoint.writing.encode(pair) for pair in diagnostic().rows[:: len(diagnostic().rows) // PAIRS][:PAIRS]]
    plan, tally = PatchPlan(granularity, "end", "all", ("noising",)), Tally()
    found = side_by_side(
        lambda: patching.grid(checkpoint.anatomy, pairs, plan, tally),
        lambda: patching.one_forward_a_patch(checkpoint.anatomy, pairs, plan),
        ("grid", "one forward a patch"),
        time.process_time,
        rounds=1,  # of minutes, on one core
    )
    lengths = [(len(pair.chosen.ids), len(pair.rejected.ids)) for pair in pairs]
    print(f"  tokens of chosen and rejected: {lengths}")
    torch.testing.assert_close(torch.tensor(found.ours), torch.tensor(found.theirs), rtol=1e-4, atol=1e-4)
