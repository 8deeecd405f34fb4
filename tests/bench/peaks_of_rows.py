"""Prints how much memory rows take while a head grid's are written to disk, and how much the file then does, in bytes.

Run with numbers of pairs, smallest first, for a model of 32 layers of 32 heads each, so small that rows are what takes
memory. `python` is the most that Python's objects took, `process` the most that the whole process had by then.
"""

import json
import random
import sys
import tracemalloc
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

from workers import process

process.prepare_torch()

import torch  # noqa: E402
from transformers import LlamaConfig, LlamaForSequenceClassification  # noqa: E402

from claims import rows  # noqa: E402
from workers.models.families import anatomy_of  # noqa: E402
from workers.models.pair_rows import Asked, pair_rows  # noqa: E402
from workers.models.pair_runs import PatchPlan, Tally  # noqa: E402
from workers.models.pairs import TokenPair, TokenText  # noqa: E402
from workers.row_file import RowFile  # noqa: E402

VOCABULARY = 200
HEADS = PatchPlan("head", "end", "all", ("noising",))


def model():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=32,
        num_attention_heads=32,
        head_dim=2,
        num_labels=1,
        attn_implementation="eager",
    )
    return anatomy_of(LlamaForSequenceClassification(config).eval().requires_grad_(requires_grad=False))


def pairs(count):
    draw = random.Random(0)

    def tokens(length):
        return tuple(draw.randrange(3, VOCABULARY) for _ in range(length))

    for number in range(count):
        shared = (1, *tokens(5))
        texts = (TokenText((*shared, side, *tokens(draw.randint(1, 4))), len(shared)) for side in (1, 2))
        yield TokenPair(str(number), "memory", str(number), *texts)


def written(anatomy, count):
    """The row file's bytes, and the peaks."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    with TemporaryFile() as file:
        of_pairs = pair_rows(anatomy, list(pairs(count)), Asked(patch=HEADS), Tally())
        RowFile(file).write(rows.lines(chain.from_iterable(of_pairs)))
        size = file.tell()
    status = Path("/proc/self/status").read_text().splitlines()
    process = 1_024 * next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return {"file": size, "python": tracemalloc.get_traced_memory()[1] - before, "process": process}


def main():
    anatomy = model()
    written(anatomy, 1)  # what is imported, and cached, on the way
    tracemalloc.start()
    print(json.dumps([written(anatomy, int(count)) for count in sys.argv[1:]]))


main()
