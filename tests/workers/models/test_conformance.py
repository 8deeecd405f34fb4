"""Each check of the gate is broken once and fails by its name; every family passes them all."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from workers.models import conformance, tiny
from workers.models.conformance import conform
from workers.models.families import anatomy_of, families
from workers.models.loading import ATTENTION
from workers.models.text import Writing
from workers.refusals import RefusalError

CHECKS = {
    "spread",
    "identical",
    "padding_right",
    "padding_left",
    "readout",
    "score",
    "forward",
    "attribution",
    "self_patch",
    "self_patch_fast",
}


def of_tiny():
    model = tiny.grow(7, ATTENTION)
    return model, anatomy_of(model), Writing(tiny.tokenizer(), tiny.CONTEXT)


def fails(check, model, anatomy, writing, reason="conformance"):
    with pytest.raises(RefusalError) as refusal:
        conform(model, anatomy, writing)
    assert refusal.value.reason == reason, refusal.value
    assert f"'{check}'" in refusal.value.detail if reason == "conformance" else check in refusal.value.detail


def test_every_family_passes_and_says_what_was_measured(make):
    for family in ("gemma2", "gemma3_text", "gpt2", "gpt_neox", "llama", "mistral", "qwen2", "qwen3"):
        small = {"n_positions": 256, "n_embd": 16, "n_layer": 3, "n_head": 4}
        more = small if family == "gpt2" else {"max_position_embeddings": 256}
        model = make.model(family, **more, vocab_size=257)
        measured = conform(model, anatomy_of(model), Writing(tiny.tokenizer(), 256))
        assert set(measured) - {"window"} == CHECKS, family
        assert measured["self_patch"] == 0
        assert all(math.isfinite(value) for value in measured.values())


def test_a_window_shorter_than_a_text_is_probed_beyond_it(make):
    model = make.model("mistral", sliding_window=100, max_position_embeddings=256, vocab_size=257)
    anatomy, writing = anatomy_of(model), Writing(tiny.tokenizer(), 256)
    assert conform(model, anatomy, writing)["window"] < 1e-5
    wide = replace(anatomy, blocks=tuple(replace(block, window=104) for block in anatomy.blocks))
    fails("window", model, wide, writing)


def test_training_mode_even_of_one_module(make):
    model, anatomy, writing = of_tiny()
    model.model.layers[1].mlp.train()
    fails("evaluation", model, anatomy, writing)


def test_a_weight_that_was_never_loaded():
    model, anatomy, writing = of_tiny()
    model.model.layers[0].mlp.up_proj = nn.Linear(tiny.HIDDEN, tiny.FEED_FORWARD, bias=False, device="meta").eval()
    fails("devices", model, anatomy, writing)


def test_weights_that_accelerate_would_fetch_from_elsewhere():
    for name in ("module", "model"):
        model, anatomy, writing = of_tiny()
        if name == "module":
            model.model.layers[0]._hf_hook = object()
        else:
            model.hf_device_map = {"model": "cpu", "score": "disk"}
        fails("devices", model, anatomy, writing)


def test_another_attention_than_the_one_that_evidence_names():
    model, anatomy, writing = of_tiny()
    model.config._attn_implementation = "sdpa"
    fails("attention", model, anatomy, writing)


def test_a_weight_or_an_output_that_is_not_a_number():
    model, anatomy, writing = of_tiny()
    model.model.layers[0].mlp.up_proj.weight[0, 0] = math.nan
    fails("model.layers.0.mlp.up_proj.weight", model, anatomy, writing, "not_finite")
    model, anatomy, writing = of_tiny()
    model.model.layers[1].mlp.register_forward_hook(lambda _module, _inputs, output: output * math.inf)
    fails("mlp_L1", model, anatomy, writing, "not_finite")


@pytest.mark.parametrize("spoilt", [math.nan, 1e-3])
def test_a_difference_and_nan_fail_every_check(spoilt):
    """NaN is larger than nothing: what compares the other way round lets it pass."""
    good = dict.fromkeys(CHECKS - {"spread"}, 0.0) | {"spread": 1.0}
    assert conformance._passed(good, 1e-5) == good
    for name in CHECKS:
        value = -spoilt if name == "spread" else spoilt
        with pytest.raises(RefusalError, match=f"'{name}'"):
            conformance._passed({**good, name: value}, 1e-5)
    with pytest.raises(RefusalError, match="'self_patch'"):
        conformance._passed({**good, "self_patch": 1e-12}, 1e-5)


def test_what_is_compared_keeps_nan():
    assert math.isnan(conformance.worst([1.0, math.nan, 2.0]))
    assert math.isnan(conformance.worst([math.nan, 1.0]))
    assert math.isnan(conformance.largest(torch.tensor([1.0, math.nan]), torch.zeros(2)))


def test_a_head_that_is_not_the_readout_that_is_read():
    model, anatomy, writing = of_tiny()
    other = nn.Linear(tiny.HIDDEN, 1, bias=False)
    other.weight = nn.Parameter(anatomy.readout.weight * 1.01, requires_grad=False)
    fails("readout", model, replace(anatomy, readout=other), writing)


def test_a_head_that_says_more_than_its_linear_layer():
    model, anatomy, writing = of_tiny()
    model.score.register_forward_hook(lambda _module, _inputs, output: torch.tanh(output))
    fails("readout", model, anatomy, writing)


def test_a_component_that_our_forward_does_not_know():
    model, anatomy, writing = of_tiny()
    model.model.layers[1].mlp.down_proj.weight.mul_(1.01)
    first, second = anatomy.blocks
    before = anatomy_of(tiny.grow(7, ATTENTION)).blocks[1].mlp
    fails("score", model, replace(anatomy, blocks=(first, replace(second, mlp=before))), writing)


def test_a_block_whose_heads_are_taken_apart_wrongly():
    """Scores can agree by chance of the readout; what the heads say cannot."""
    model, anatomy, writing = of_tiny()
    halved = tuple(replace(block, scale=block.scale * 0.99) for block in anatomy.blocks)
    with pytest.raises(RefusalError, match=r"conformance.*'(score|forward)'"):
        conform(model, replace(anatomy, blocks=halved), writing)


def test_a_score_that_hangs_on_the_padding(make):
    """As where positions are counted from the beginning of a padded row, whatever they are said to be."""
    model = make.model("gpt2", n_positions=256, n_embd=16, n_layer=3, n_head=4, vocab_size=257)
    inner = model.transformer.forward
    model.transformer.forward = lambda *inputs, **named: inner(*inputs, **{**named, "position_ids": None})
    fails("padding_left", model, anatomy_of(model), Writing(tiny.tokenizer(), 256))


def test_a_score_that_hangs_on_its_place_in_the_batch():
    model, anatomy, writing = of_tiny()
    model.model.norm.register_forward_hook(
        lambda _module, _inputs, output: output * (1 + 0.01 * torch.arange(len(output)).view(-1, 1, 1))
    )
    fails("identical", model, anatomy, writing)


def test_a_model_that_answers_at_random():
    model, anatomy, writing = of_tiny()
    model.model.layers[0].mlp.register_forward_hook(
        lambda _module, _inputs, output: output + 0.1 * torch.randn_like(output)
    )
    with pytest.raises(RefusalError, match="conformance"):
        conform(model, anatomy, writing)


def test_a_model_that_scores_every_text_alike():
    model, anatomy, writing = of_tiny()
    model.score.weight.zero_()
    fails("spread", model, anatomy, writing)


def test_a_final_norm_that_attribution_does_not_know():
    """Its gain is stored less one in some families and not in others."""
    model, anatomy, writing = of_tiny()

    class GemmaRMSNorm(type(model.model.norm)):
        pass

    model.model.norm.__class__ = GemmaRMSNorm
    fails("attribution", model, anatomy, writing)


@pytest.mark.parametrize("odd", [lambda output: {"hidden": output}, lambda output: output[..., :5], lambda _: ()])
def test_a_module_whose_output_is_of_another_kind_or_shape(odd):
    model, anatomy, writing = of_tiny()
    odd_one = _Odd(model.model.layers[1].mlp, odd)
    anatomy.components["mlp_L1"] = odd_one
    model.model.layers[1].mlp = nn.Sequential(odd_one, _Same(odd_one)).eval()
    fails("outputs", model, anatomy, writing)


class _Odd(nn.Module):
    def __init__(self, inner, odd):
        super().__init__()
        self.inner, self.odd = inner, odd
        self.eval()

    def forward(self, stream):
        self.said = self.inner(stream)
        return self.odd(self.said)


class _Same(nn.Module):
    """What the model goes on with is as it was."""

    def __init__(self, before):
        super().__init__()
        self.before = [before]
        self.eval()

    def forward(self, _):
        return self.before[0].said


def test_its_cost_does_not_grow_with_the_layers(make):
    """Patches of itself are made for a few modules alone."""

    def forwards(layers):
        model = make.model("llama", num_hidden_layers=layers, max_position_embeddings=256, vocab_size=257)
        runs = []
        model.model.register_forward_hook(lambda *_: runs.append(1))
        conform(model, anatomy_of(model), Writing(tiny.tokenizer(), 256))
        return len(runs)

    assert forwards(12) == forwards(6) < 30


def test_the_padding_token_of_the_configuration_is_as_it_was():
    model, anatomy, writing = of_tiny()
    model.config.pad_token_id = 5
    conform(model, anatomy, writing)
    assert model.config.pad_token_id == 5


def test_every_check_and_family_is_documented():
    page = (Path(__file__).parents[3] / "docs" / "subjects.md").read_text()
    for name in (CHECKS | {"window", "evaluation", "devices", "attention", "outputs"}) | set(families()):
        assert name in page, name
