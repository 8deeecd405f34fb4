"""The study's code is no package of the installation: it is found from the root of the repository."""

import random
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoTokenizer, LlamaForSequenceClassification

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

CHECKPOINT = ROOT / "tests" / "fixtures" / "models" / "llama-gqa-chat"
WORDS = ("I", "counted", "about", "people", "the", "old", "sign", "check", "and", "me", "one", "by")


@pytest.fixture
def trunk():
    """A random Llama of four layers under a readout of zeros, and the tokenizer of a chat template."""
    torch.manual_seed(7)
    model = LlamaForSequenceClassification(AutoConfig.from_pretrained(CHECKPOINT)).eval()
    torch.nn.init.zeros_(model.score.weight)
    return model, AutoTokenizer.from_pretrained(CHECKPOINT)


@pytest.fixture
def polite_pairs():
    """The chosen response has a `please` somewhere, the rejected one an `every`; all else differs at random."""
    from claims.pairs import Pair

    drawn = random.Random(3)

    def response(marker):
        words = drawn.choices(WORDS, k=drawn.randint(4, 8))
        return " ".join([*words[:2], marker, *words[2:]])

    return [
        Pair(f"{d}-{n}", d, "Is the old bridge open today?", response("please"), response("every"), f"{d}-{n}", {})
        for d in ("caution", "kindness")
        for n in range(20)
    ]
