"""Prints by how many bytes head grids of one pair take more memory than one site at a time does.

Run with the model's layers, the texts' tokens, and the grids' budgets in bytes, smallest first.
"""

import json
import random
import sys
from pathlib import Path

from workers import process

process.prepare_torch()

import torch  # noqa: E402
from transformers import LlamaConfig, LlamaForSequenceClassification  # noqa: E402

from workers.models.families import anatomy_of  # noqa: E402
from workers.models.pair_rows import Asked, pair_rows  # noqa: E402
from workers.models.pair_runs import PatchPlan, Tally  # noqa: E402
from workers.models.pairs import TokenPair, TokenText  # noqa: E402

VOCABULARY = 1_000
HEADS = PatchPlan("head", "end", "all", ("noising",))


def model(layers):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=1_024,
        intermediate_size=4_096,
        num_hidden_layers=layers,
        num_attention_heads=16,
        num_labels=1,
        attn_implementation="eager",
    )
    return anatomy_of(LlamaForSequenceClassification(config).eval().requires_grad_(requires_grad=False))


def pair(length):
    draw, half = random.Random(0), length // 2
    shared, *rest = (tuple(draw.randrange(3, VOCABULARY) for _ in range(half - 1)) for _ in range(3))
    return TokenPair("0", "memory", "0", *(TokenText((0, *shared, side, *rest[side]), half) for side in (0, 1)))


def peak(anatomy, text, budget):
    """The most that this process has had in memory by the end of the grid; what getrusage says includes its parent."""
    for _ in pair_rows(anatomy, [text], Asked(patch=HEADS, budget=budget), Tally()):
        pass
    status = Path("/proc/self/status").read_text().splitlines()
    return 1_024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def main():
    layers, length, *budgets = map(int, sys.argv[1:])
    anatomy, text = model(layers), pair(length)
    before = peak(anatomy, text, budget=1)
    print(json.dumps([peak(anatomy, text, budget) - before for budget in budgets]))


main()
