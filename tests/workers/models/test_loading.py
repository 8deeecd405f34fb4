import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from claims.registration.model import LocalModel
from claims.weights import weights_sha256
from workers.models.loading import load, load_directory
from workers.models.pair_runs import Tally
from workers.refusals import RefusalError

LLAMA = Path(__file__).parents[2] / "fixtures" / "models" / "llama-gqa"


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(LLAMA, tmp_path / "root" / "model"))


def reconfigure(directory, **changes):
    config = directory / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **changes}))


def rewrite(directory, change):
    weights = load_file(directory / "model.safetensors")
    change(weights)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


def test_what_evidence_says_of_it(llama):
    facts = llama.facts(Tally(texts=3))
    assert facts["weights_sha256"] == weights_sha256(LLAMA)
    assert (facts["dtype"], facts["device"], facts["attention"]) == ("float32", "cpu", "eager")
    assert facts["forwards"] == 3
    assert facts["peak_memory_bytes"] > 2**20
    assert facts["conformance"]["self_patch"] == 0
    assert json.loads(json.dumps(facts)) == facts


def test_it_is_kept_until_a_file_changes(copy):
    first = load_directory(copy)
    assert load_directory(copy) is first
    rewrite(copy, lambda weights: weights["score.weight"].mul_(2))
    second = load_directory(copy)
    assert second is not first
    assert second.weights_sha256 != first.weights_sha256


def test_half_precision_weights_are_computed_with_in_float32(copy):
    reconfigure(copy, dtype="bfloat16")
    rewrite(copy, lambda weights: weights.update({name: value.bfloat16() for name, value in weights.items()}))
    anatomy = load_directory(copy).anatomy
    assert {weight.dtype for weight in anatomy.backbone.parameters()} == {torch.float32}


def test_a_head_that_the_checkpoint_lacks_is_refused(copy):
    rewrite(copy, lambda weights: weights.pop("score.weight"))
    with pytest.raises(RefusalError, match=r"incomplete_checkpoint.*missing keys: score\.weight"):
        load_directory(copy)


def test_a_key_that_the_model_does_not_know_is_refused(copy):
    rewrite(copy, lambda weights: weights.update(extra=torch.ones(2)))
    with pytest.raises(RefusalError, match="unexpected keys: extra"):
        load_directory(copy)


def test_weights_of_another_shape_are_refused(copy):
    rewrite(copy, lambda weights: weights.update({"score.weight": torch.ones(1, 32)}))
    with pytest.raises(RefusalError, match=r"unreadable_checkpoint|mismatched"):
        load_directory(copy)


def refused(directory):
    with pytest.raises(RefusalError) as refusal:
        load_directory(directory)
    return refusal.value


@pytest.mark.parametrize(
    "changes",
    [
        {"num_attention_heads": 0},
        {"num_attention_heads": None},
        {"num_key_value_heads": 0},
        {"num_hidden_layers": "two"},
        {"num_hidden_layers": 0},
        {"hidden_size": -1},
        {"head_dim": 7},
        {"vocab_size": 1.5},
        {"max_position_embeddings": None},
        {"max_position_embeddings": "long"},
        {"rms_norm_eps": None},
        {"hidden_act": "no such function"},
        {"rope_parameters": {"rope_type": "no such rope"}},
        {"rope_parameters": []},
        {"id2label": {}},
        {"id2label": 3},
        {"pad_token_id": "x"},
        {"dtype": "no such type"},
        {"model_type": None},
        {"model_type": []},
        {"model_type": "bert"},
    ],
    ids=json.dumps,
)
def test_a_configuration_that_no_library_can_use_is_refused(copy, changes):
    """Each raises something else, somewhere else."""
    reconfigure(copy, **changes)
    refusal = refused(copy)
    assert refusal.reason in {"unreadable_checkpoint", "incomplete_checkpoint", "unsupported_model", "several_outputs"}


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "tokenizer_config.json"])
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b'{"model": 3, "tokenizer_class": 3}'])
def test_a_file_that_is_not_what_its_name_says_is_refused(copy, file, body):
    (copy / file).write_bytes(body)
    assert refused(copy).reason == "unreadable_checkpoint"


def test_a_directory_without_a_configuration_is_told_that_it_has_none(copy):
    (copy / "config.json").unlink()
    assert "config.json cannot be read: No such file or directory" in refused(copy).detail


def test_the_refusal_says_what_was_raised(copy):
    reconfigure(copy, num_attention_heads=0)
    assert "cannot be loaded: ZeroDivisionError" in refused(copy).detail


def test_running_out_of_memory_is_not_the_checkpoint_s_fault(copy, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("workers.models.loading.weights_sha256", exhausted)
    with pytest.raises(MemoryError):
        load_directory(copy)


def test_a_tokenizer_that_does_not_say_where_its_tokens_lie_is_refused(copy):
    (copy / "tokenizer.json").unlink()
    (copy / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "ByT5Tokenizer"}))
    refusal = refused(copy)
    assert refusal.reason == "slow_tokenizer"
    assert "ByT5Tokenizer" in refusal.detail


def test_several_outputs_need_a_readout(copy):
    reconfigure(copy, id2label={"0": "a", "1": "b"}, label2id={"a": 0, "b": 1})
    rewrite(
        copy,
        lambda weights: weights.update(
            {"score.weight": weights["score.weight"].repeat(2, 1) * torch.tensor([[1.0], [2.0]])}
        ),
    )
    with pytest.raises(RefusalError, match="several_outputs"):
        load_directory(copy)
    with pytest.raises(RefusalError, match="no_such_output"):
        load_directory(copy, 2)
    assert load_directory(copy, 1).anatomy.output == 1


def test_a_model_that_scores_everything_alike_does_not_conform(copy):
    rewrite(copy, lambda weights: weights["score.weight"].zero_())
    with pytest.raises(RefusalError, match=r"conformance.*'spread'"):
        load_directory(copy)


def registered(directory):
    return LocalModel(kind="local", directory=directory, weights_sha256="0" * 64)


def test_a_directory_under_the_root(copy):
    assert load(registered("model"), copy.parent).weights_sha256 == weights_sha256(copy)


def test_without_a_root_or_outside_it_there_is_no_model(copy):
    with pytest.raises(RefusalError, match="no_model_root"):
        load(registered("model"), None)
    for outside in ("../model", str(copy), "missing"):
        with pytest.raises(RefusalError, match="unusable_model"):
            load(registered(outside), copy.parent)
