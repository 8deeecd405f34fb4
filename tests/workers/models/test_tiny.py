import hashlib

import pytest
import torch
from safetensors.torch import save_file

from claims.diagnostic import diagnostic
from claims.registration.model import TinyModel
from claims.tiny import HEADS
from claims.weights import weights_sha256 as weights_of
from workers.models import tiny
from workers.models.loading import load
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally

# Of the weights of seed 7: uniform draws and exact arithmetic, so another machine or version has the same.
SEVEN = "a7be447d8860c7c6f84aa1b4a088cff7cef50c90ad9fbbf7c502d9a75759a091"
PLAN = PatchPlan("component", "end", "all", ("noising",))


def loaded(seed):
    return load(TinyModel(kind="tiny", seed=seed), None)


def test_the_same_seed_has_the_same_weights_bit_for_bit_and_another_others():
    torch.manual_seed(1)
    first = tiny.grow(7, "eager")
    torch.manual_seed(2)
    assert tiny.weights_sha256(first) == tiny.weights_sha256(tiny.grow(7, "eager")) == SEVEN
    assert len({tiny.weights_sha256(tiny.grow(seed, "eager")) for seed in range(5)}) == 5


def test_its_hash_is_that_of_the_file_that_it_would_be_saved_as(tmp_path):
    save_file(tiny.grow(7, "eager").state_dict(), tmp_path / "model.safetensors")
    assert weights_of(tmp_path) == SEVEN
    assert hashlib.sha256((tmp_path / "model.safetensors").read_bytes()).hexdigest() == SEVEN


def test_what_evidence_says_of_it():
    facts = loaded(7).facts(Tally())
    assert (facts["weights_sha256"], facts["dtype"], facts["device"], facts["attention"]) == (
        SEVEN,
        "float32",
        "cpu",
        "eager",
    )
    assert facts["conformance"]["self_patch"] == 0


def test_query_heads_share_keys():
    block = loaded(7).anatomy.blocks[0]
    assert block.heads == HEADS
    assert block.queries(torch.zeros(1, 1, tiny.HIDDEN))[1].shape[2] == tiny.GROUPS < HEADS


@pytest.mark.parametrize("text", ["a b", "Zürich — ☃ 😀", "\t<s> </s>\r\n", "\x00\x7f"])
def test_a_token_is_a_byte_and_every_text_comes_back(text):
    writer = tiny.tokenizer()
    ids = writer(text.replace("<s>", "<_>"))["input_ids"]
    assert ids[0] == writer.bos_token_id == 0
    assert len(ids) == 1 + len(text.encode())
    assert writer.decode(ids[1:], clean_up_tokenization_spaces=False) == text.replace("<s>", "<_>")


def test_every_byte_has_a_token():
    writer = tiny.tokenizer()
    text = "".join(map(chr, range(0x800))) + "\uffff\U0010ffff"
    assert writer.decode(writer(text)["input_ids"][1:], clean_up_tokenization_spaces=False) == text
    assert len(writer) == 257


def test_it_takes_every_pair_of_the_shipped_set():
    writing = loaded(7).writing
    longest = max(len(writing.encode(pair).chosen.ids) for pair in diagnostic().rows)
    assert 100 < longest < writing.context / 2


@pytest.mark.parametrize("seed", range(8))
def test_every_seed_conforms_and_its_margins_and_patches_are_not_negligible(seed):
    checkpoint = loaded(seed)
    pairs = [checkpoint.writing.encode(pair) for pair in diagnostic().rows[::60]]
    rows = [row for of in pair_rows(checkpoint.anatomy, pairs, Asked(patch=PLAN), Tally()) for row in of]
    scores = torch.tensor([row["score"] for row in rows if row["kind"] == "score"])
    assert 0.1 < float(scores.std()) < 10
    for component in checkpoint.anatomy.components:
        effects = [abs(row["effect"]) for row in rows if row["kind"] == "patch" and row["component"] == component]
        assert sum(effects) / len(effects) > 0.02, component
