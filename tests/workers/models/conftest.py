"""The oracle's checkpoints with their recorded truth, and small random models of every family there is."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from claims.pairs import read_pairs
from workers.models.families import anatomy_of, families
from workers.models.loading import load_directory
from workers.models.pairs import TokenPair, TokenText
from workers.models.patching import source_index
from workers.models.reading import read, score

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
ORACLES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")
WINDOW = 4
SMALL = {
    "vocab_size": 40,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 6,
    "max_position_embeddings": 64,
    "pad_token_id": None,
}
WINDOWED = {"sliding_window": WINDOW, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
ROPE = {"rope_type": "default", "rope_theta": 10_000.0}
# What a family can be beyond its defaults; `gpt_neox` comes with and without its MLP beside its attention.
VARIANTS = {
    "gemma2": [WINDOWED | {"attn_logit_softcapping": 2.0, "query_pre_attn_scalar": 5}],
    "gemma3_text": [WINDOWED | {"rope_parameters": {"full_attention": ROPE, "sliding_attention": ROPE}}],
    "gpt2": [{"n_embd": 16, "n_layer": 3, "n_head": 4, "n_positions": 64}],
    "gpt_neox": [{"use_parallel_residual": parallel} for parallel in (True, False)],
    "llama": [{}, {"attention_bias": True, "mlp_bias": True}],
    "mistral": [{"sliding_window": WINDOW}],
    "qwen2": [WINDOWED | {"use_sliding_window": True}],
    "qwen3": [{}],
}


def build(family, **more):
    """A random model of the family, all of its weights large enough to matter, norms and biases included."""
    given = {} if family == "gpt2" else SMALL
    config = AutoConfig.for_model(family, **{**given, "vocab_size": 40, "num_labels": 1, **more})
    model = AutoModelForSequenceClassification.from_config(config, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(5)
    for weight in model.parameters():
        weight.requires_grad = False
        weight.add_(torch.randn(weight.shape, generator=generator) * 0.3)
    return model


def texts_of(chosen, rejected, response=2, name="pair"):
    return TokenPair(name, "kindness", name, TokenText(tuple(chosen), response), TokenText(tuple(rejected), response))


@pytest.fixture(
    scope="module", params=[(family, number) for family in VARIANTS for number in range(len(VARIANTS[family]))]
)
def small(request):
    """A family's `anatomy` and the `model` itself."""
    family, number = request.param
    model = build(family, **VARIANTS[family][number])
    return SimpleNamespace(family=family, model=model, anatomy=anatomy_of(model))


@pytest.fixture(scope="session")
def make():
    """`build`, and `texts_of`, and the families that have variants here: every one there is."""
    assert sorted(VARIANTS) == families()
    return SimpleNamespace(model=build, pair=texts_of)


@pytest.fixture(scope="session")
def naive():
    """One full forward a patch, by the model's own forward: the rewards by site of `patched` for one direction."""

    def patch(anatomy, sites, patched, source, plan):
        ids, other = (torch.tensor([text.ids]) for text in (patched, source))
        index = source_index(patched, source, plan.alignment, plan.positions)
        where = torch.nonzero(index >= 0)[:, 0]
        said = read(anatomy, other).outputs
        return {site.name: _patched(anatomy, ids, site, said, where=where, taken=index[where]) for site in sites}

    return patch


def _patched(anatomy, ids, site, said, *, where, taken):
    name = f"heads_L{site.layer}" if site.kind == "heads" else site.name

    def edit(output):
        width = output.shape[-1] // anatomy.blocks[site.layer].heads if site.kind == "heads" else output.shape[-1]
        columns = slice(site.head * width, (site.head + 1) * width)
        changed = output.clone()
        changed[:, where, columns] = said[name][:, taken, columns]
        return changed

    return float(score(anatomy, ids, {name: edit}))


@pytest.fixture(scope="module", params=ORACLES)
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
