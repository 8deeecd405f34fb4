"""First-order estimates against finite differences of the model's own forward, on every family of the oracle."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import torch

from claims.pairs import read_pairs
from workers.models.loading import load_directory
from workers.models.patching import source_index
from workers.models.reading import read, score
from workers.unregistered import command

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")
PAIR = "pub-02"  # its texts are of unequal lengths
STEP = 1 / 256


@pytest.fixture(params=FAMILIES)
def family(request):
    return request.param


@pytest.mark.parametrize(("alignment", "positions"), [("end", "all"), ("start", "response")])
@pytest.mark.parametrize("granularity", ["component", "head"])
def test_an_estimate_is_the_slope_of_the_reward_along_the_patch(family, granularity, alignment, positions):
    params = {"granularity": granularity, "alignment": alignment, "positions": positions, "direction": "both"}
    rows = measured(family, params)
    checkpoint = load_directory(MODELS / family)
    pairs = {pair.id: pair for pair in read_pairs((MODELS / family / "pairs.jsonl").read_bytes()).rows}
    texts = checkpoint.writing.encode(pairs[PAIR])
    for direction in ("noising", "denoising"):
        sides = ("chosen", "rejected") if direction == "noising" else ("rejected", "chosen")
        patched, source = (getattr(texts, side) for side in sides)
        index = source_index(patched, source, alignment, positions)
        slopes = Slopes(checkpoint.anatomy, patched.ids, source.ids, index)
        of_pair = [row for row in rows if (row["pair_id"], row["direction"]) == (PAIR, direction)]
        assert of_pair
        exact = [slopes.of(row["component"]) for row in of_pair]
        near = {"abs": 0.01 * max(abs(value) for pair in exact for value in pair)}
        for row, (own, taken) in zip(of_pair, exact, strict=True):
            assert (row[sides[0]], row[sides[1]]) == (pytest.approx(own, **near), pytest.approx(taken, **near)), row
            assert row["differential"] == row["chosen"] - row["rejected"]


def measured(family, params):
    """The rows of kind attribution, as `antedate measure` writes them."""
    directory = MODELS / family
    with TemporaryDirectory() as out:
        command.measure(
            instrument="attribution_patching",
            model=str(directory),
            pairs=str(directory / "pairs.jsonl"),
            params=json.dumps(params),
            out=Path(out),
            quiet=True,
        )
        rows = [json.loads(line) for line in (Path(out) / "rows.jsonl").read_text().splitlines()]
    return [row for row in rows if row["kind"] == "attribution"]


class Slopes:
    """How fast the reward grows as the patched positions of a component take a little more of some value."""

    def __init__(self, anatomy, patched, source, index):
        self.anatomy, self.ids = anatomy, torch.tensor([patched])
        self.own, self.other = read(anatomy, self.ids).outputs, read(anatomy, torch.tensor([source])).outputs
        self.where = torch.nonzero(index >= 0)[:, 0]
        self.taken = index[self.where]

    def of(self, component):
        """Along what the text itself has there, and along what the patch puts there."""
        name, _, head = component.partition("_H")
        name = name.replace("head", "heads")
        columns = slice(None)
        if head:
            width = self.own[name].shape[-1] // self.anatomy.blocks[int(name.removeprefix("heads_L"))].heads
            columns = slice(int(head) * width, (int(head) + 1) * width)
        values = self.own[name][:, self.where, columns], self.other[name][:, self.taken, columns]
        return tuple(self._along(name, columns, value) for value in values)

    def _along(self, name, columns, value):
        def moved(step):
            def edit(output):
                changed = output.clone()
                changed[:, self.where, columns] += step * value
                return changed

            return float(score(self.anatomy, self.ids, {name: edit}))

        return (moved(STEP) - moved(-STEP)) / (2 * STEP)
