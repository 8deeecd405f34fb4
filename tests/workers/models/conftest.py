"""The oracle's checkpoints, loaded once for each test module that asks, and their recorded truth."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from claims.pairs import read_pairs
from workers.models.loading import load_directory

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")


@pytest.fixture(scope="module", params=FAMILIES)
def oracle(request):
    """A family's `checkpoint`, its `pairs` as tokens and what is `expected` of it."""
    directory = MODELS / request.param
    checkpoint = load_directory(directory)
    pairs = read_pairs((directory / "pairs.jsonl").read_bytes()).rows
    return SimpleNamespace(
        checkpoint=checkpoint,
        pairs=[checkpoint.writing.encode(pair) for pair in pairs],
        expected=json.loads((directory / "expected.json").read_bytes()),
    )


@pytest.fixture(scope="module")
def llama():
    return load_directory(MODELS / "llama-gqa")
