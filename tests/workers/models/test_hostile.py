"""What a stranger's checkpoint tries, each refused with a remedy, in this process, which goes on."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from claims.pairs import Pair
from claims.registration.model import LocalModel
from workers.free_memory import InsufficientMemoryError
from workers.models.loading import load, load_directory
from workers.refusals import REASONS, RefusalError

LLAMA = Path(__file__).parents[2] / "fixtures" / "models" / "llama-gqa"
CHAT = LLAMA.with_name("llama-gqa-chat")
DECLARED = 300 * 10**9  # bytes
PAIR = Pair("p", "d", "Is it open?", "I am not sure.", "Yes, of course.", "c", {})


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(LLAMA, tmp_path / "root" / "model"))


@pytest.fixture
def chat(tmp_path):
    return Path(shutil.copytree(CHAT, tmp_path / "root" / "chat"))


@pytest.fixture(autouse=True)
def the_worker_goes_on(llama):
    """Whatever a hostile checkpoint did to the process, an honest one loads and encodes as before."""
    before = llama.writing.encode(PAIR)
    yield
    load_directory.__globals__["_load"].cache_clear()
    after = load_directory(LLAMA)
    assert after.conformance == llama.conformance
    assert after.writing.encode(PAIR) == before


def refused(directory, reason, *words):
    with pytest.raises(RefusalError) as refusal:
        load_directory(directory)
    error = refusal.value
    assert error.reason == reason, error
    assert reason in REASONS
    assert error.remedy
    for word in words:
        assert word in error.detail
    return error


def reconfigure(directory, name="config.json", **changes):
    file = directory / name
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def rewrite(directory, change):
    weights = load_file(directory / "model.safetensors")
    change(weights)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


def shard(directory):
    """The weights in two files and an index."""
    weights = load_file(directory / "model.safetensors")
    (directory / "model.safetensors").unlink()
    names = sorted(weights)
    index = {}
    for number, part in enumerate((names[::2], names[1::2]), start=1):
        file = f"model-{number:05}-of-00002.safetensors"
        save_file({name: weights[name] for name in part}, directory / file, metadata={"format": "pt"})
        index |= dict.fromkeys(part, file)
    (directory / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    return index


def declare(directory, bytes_there):
    header = json.dumps({"score.weight": {"dtype": "F32", "shape": [DECLARED // 4], "data_offsets": [0, DECLARED]}})
    with (directory / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.truncate(8 + len(header) + bytes_there)


# Weights


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.pkl", "pytorch_model-00001-of-00002.bin"])
def test_pickled_weights_are_never_opened(copy, name):
    class Bomb:
        def __reduce__(self):
            return (open, (str(copy / "ran"), "w"))

    (copy / "model.safetensors").unlink()
    torch.save({"score.weight": Bomb()}, copy / name)
    error = refused(copy, "pickled_weights", name)
    assert "safe_serialization" in error.remedy
    assert not (copy / "ran").exists()


def test_a_pickle_beside_safetensors_is_left_alone(copy):
    (copy / "pytorch_model.bin").write_bytes(b"whatever")
    assert load_directory(copy).conformance["self_patch"] == 0


def test_a_header_that_declares_300_gigabytes_in_a_short_file_is_refused(copy):
    declare(copy, 100)
    refused(copy, "damaged_weights", "model.safetensors")


def test_300_gigabytes_that_are_there_do_not_fit_into_memory(copy):
    """As large as it says, and takes no room."""
    declare(copy, DECLARED)
    with pytest.raises(InsufficientMemoryError):
        load_directory(copy)


@pytest.mark.parametrize(
    "header",
    [
        b"\xff" * 100,
        b"",
        b"\x08\x00\x00",
        (1 << 62).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (len(b'{"a":' * 999)).to_bytes(8, "little") + b'{"a":' * 999,
        (67).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4]}}  ' + b"0000",
        (66).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}           ',
        (52).to_bytes(8, "little") + b'{"a":{"dtype":"X","shape":[2],"data_offsets":[0,8]}}' + b"0" * 8,
    ],
    ids=["noise", "nothing", "cut short", "long header", "list", "deep", "absurd shape", "negative", "no such type"],
)
def test_a_header_that_is_none_is_refused(copy, header):
    (copy / "model.safetensors").write_bytes(header)
    refused(copy, "damaged_weights", "model.safetensors")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("name", ["score.weight", "model.layers.1.mlp.down_proj.weight", "model.norm.weight"])
def test_weights_that_are_not_finite_are_refused_by_name(copy, name, value):
    rewrite(copy, lambda weights: weights[name].view(-1)[-1:].fill_(value))
    refused(copy, "not_finite", name)


def test_weights_whose_values_overflow_are_refused_by_the_component(copy):
    rewrite(copy, lambda weights: weights["model.layers.1.mlp.up_proj.weight"].fill_(3e38))
    refused(copy, "not_finite", "L1")


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.int8, torch.uint8, torch.int32])
def test_quantised_weights_are_not_taken_for_numbers(copy, dtype):
    name = "model.layers.0.mlp.up_proj.weight"
    rewrite(copy, lambda weights: weights.update({name: weights[name].to(dtype)}))
    refused(copy, "unsupported_weights", name)


@pytest.mark.parametrize(
    "config", [{"quant_method": "gptq", "bits": 4}, {"quant_method": "bitsandbytes", "load_in_4bit": True}, [], "x"]
)
def test_a_quantised_checkpoint_is_refused(copy, config):
    reconfigure(copy, quantization_config=config)
    refused(copy, "unsupported_weights", "quantised")


def test_an_adapter_is_not_a_model(copy):
    (copy / "model.safetensors").rename(copy / "adapter_model.safetensors")
    (copy / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "base_model_name_or_path": "a/b"}))
    assert "merge" in refused(copy, "unsupported_weights", "adapter").remedy.lower()


def test_a_sharded_checkpoint_is_loaded(copy, llama):
    shard(copy)
    assert load_directory(copy).conformance == llama.conformance


def test_a_missing_shard_is_refused_by_name(copy):
    shard(copy)
    (copy / "model-00002-of-00002.safetensors").unlink()
    refused(copy, "damaged_weights", "model-00002-of-00002.safetensors")


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", "a/b.safetensors", "..", "", "a\0b"])
def test_an_index_that_points_elsewhere_is_refused(copy, name):
    index = shard(copy)
    shutil.copy(LLAMA / "model.safetensors", copy.parent)
    weight_map = {**index, "score.weight": name}
    (copy / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    refused(copy, "damaged_weights", "index")


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"weight_map": {"a": 3}}'])
def test_an_index_that_is_none_is_refused(copy, body):
    shard(copy)
    (copy / "model.safetensors.index.json").write_bytes(body)
    assert refused(copy, "damaged_weights" if body != b"[]" else "unreadable_checkpoint")


def test_a_weight_that_the_index_leaves_out_is_missed_by_name(copy):
    index = shard(copy)
    del index["score.weight"]
    (copy / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    with pytest.raises(RefusalError) as refusal:
        load_directory(copy)
    assert refusal.value.reason in {"incomplete_checkpoint", "unreadable_checkpoint"}


# Code and configuration


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_code_of_the_checkpoints_own_is_refused_and_not_run(copy, name):
    auto_map = {"AutoModelForSequenceClassification": "evil.Evil", "AutoTokenizer": ["evil.T", None]}
    reconfigure(copy, name, auto_map=auto_map, trust_remote_code=True)
    (copy / "evil.py").write_text(f"open({str(copy / 'ran')!r}, 'w')")
    refused(copy, "remote_code", name)
    assert not (copy / "ran").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 10**9},
        {"hidden_size": 10**6},
        {"intermediate_size": 10**12},
        {"vocab_size": 10**10},
        {"num_attention_heads": 10**7},
        {"head_dim": 10**8},
        {"id2label": {str(number): "x" for number in range(20_000)}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_configuration_that_describes_an_absurd_model_fills_no_memory(copy, changes):
    reconfigure(copy, **changes)
    with pytest.raises(RefusalError) as refusal:
        load_directory(copy)
    assert refusal.value.reason in {"damaged_weights", "unreadable_checkpoint", "incomplete_checkpoint"}


def test_a_huge_configuration_is_not_parsed(copy):
    (copy / "config.json").write_text(json.dumps({"padding": "x" * (2 << 20)}))
    refused(copy, "unreadable_checkpoint", "config.json", "bytes")


def test_a_huge_tokenizer_is_not_parsed(copy):
    with (copy / "tokenizer.json").open("wb") as file:
        file.truncate(1 << 30)
    refused(copy, "unreadable_checkpoint", "tokenizer.json", "bytes")


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "tokenizer_config.json"])
def test_a_deep_file_overflows_no_stack(copy, name, depth):
    body = json.dumps(json.loads((copy / name).read_text()))
    (copy / name).write_text(body[:-1] + ', "deep": ' + "[" * depth + "]" * depth + "}")
    try:
        load_directory(copy)
    except RefusalError as refusal:
        assert refusal.reason == "unreadable_checkpoint"  # noqa: PT017 - it may also be read, where it is not too deep


# Paths


def claimed(directory):
    return LocalModel(kind="local", directory=directory, weights_sha256="0" * 64)


@pytest.mark.parametrize("path", ["..", "../model", "model/../../elsewhere", "/etc", "model\0", "", "missing"])
def test_a_path_out_of_the_model_root_is_refused(copy, tmp_path, path):
    shutil.copytree(LLAMA, tmp_path / "elsewhere")
    with pytest.raises(RefusalError) as refusal:
        load(claimed(path) if path else LocalModel.model_construct(directory="..", kind="local"), copy.parent)
    assert refusal.value.reason == "unusable_model"


def test_a_directory_that_links_out_of_the_model_root_is_refused(copy, tmp_path):
    elsewhere = Path(shutil.copytree(LLAMA, tmp_path / "elsewhere"))
    (copy.parent / "link").symlink_to(elsewhere)
    with pytest.raises(RefusalError, match=r"unusable_model.*leads out"):
        load(claimed("link"), copy.parent)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "README.md"])
def test_a_file_that_links_out_of_the_model_root_is_refused(copy, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(LLAMA, elsewhere)
    (elsewhere / "README.md").write_text("secret")
    (copy / name).unlink(missing_ok=True)
    (copy / name).symlink_to(elsewhere / name)
    with pytest.raises(RefusalError, match=f"unusable_model: {name} .*leads out"):
        load(claimed("model"), copy.parent)


def test_a_link_within_the_model_root_is_followed(copy):
    (copy / "model.safetensors").rename(copy.parent / "weights")
    (copy / "model.safetensors").symlink_to("../weights")
    assert load(claimed("model"), copy.parent).conformance["self_patch"] == 0


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_pipe_in_place_of_a_file_blocks_nobody(copy, name):
    (copy / name).unlink()
    os.mkfifo(copy / name)
    refused(copy, "unreadable_checkpoint", name)


# Tokenizers and templates


def test_a_tokenizer_of_another_model_is_refused(copy):
    """It has more tokens than the model has embeddings."""
    tokenizer = json.loads((copy / "tokenizer.json").read_text())
    vocabulary = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {token: index + 1_000 * (index > 10) for token, index in vocabulary.items()}
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer))
    error = refused(copy, "other_tokenizer", "embeds 247")
    assert "tokenizer" in error.remedy


TEMPLATES = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "writes on": "{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
    "is large at once": "{{ 'x' * 99999999999 }}",
    "pads": "{{ 'x'.ljust(99999999999) }}",
    "counts": "{{ 9 ** (9 ** 9) }}",
    "imports": "{% import 'os' as os %}{{ os.system('true') }}",
    "includes": "{% include '/etc/passwd' %}",
    "reaches into Python": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "reaches through a function": "{{ raise_exception.__globals__['__builtins__'].open('/etc/passwd').read() }}",
    "reaches through the cycler": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "does not parse": "{% for %}",
    "divides by nothing": "{{ 1 // 0 }}",
    "calls itself": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "raises": "{{ raise_exception('no') }}",
}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_that_is_not_to_be_run_is_stopped(chat, template):
    (chat / "chat_template.jinja").write_text("{{ messages[0].content }} {{ messages[1].content }}" + template)
    refused(chat, "chat_template")


def test_a_huge_template_is_not_read(chat):
    (chat / "chat_template.jinja").write_text("x" * (1 << 20))
    refused(chat, "unreadable_checkpoint", "chat_template.jinja")


def test_a_tokenizer_with_a_regular_expression_that_backtracks_without_end_is_stopped(copy):
    tokenizer = json.loads((copy / "tokenizer.json").read_text())
    tokenizer["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"Regex": "(?:[a-z ?.,A-Z]*)*#(?=x)"},
        "behavior": "Isolated",
        "invert": False,
    }
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer))
    try:
        load_directory(copy)
    except RefusalError as refusal:
        assert refusal.reason in {"unreadable_checkpoint", "conformance", "identical_pair"}  # noqa: PT017
