"""The mistakes that existing tools make on real reward models, each made here once beside what we do instead.

Where a wrong value can be had, it is computed too, and differs: the test would not notice otherwise.
"""

import copy as copying
import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from claims.pairs import Pair
from workers.models import tiny
from workers.models.attribution import contributions
from workers.models.conformance import conform
from workers.models.families import anatomy_of
from workers.models.loading import ATTENTION, load_directory
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally, pair_runs
from workers.models.patching import sites_of
from workers.models.probing import own_scores, padded
from workers.models.reading import read, score
from workers.models.text import Writing
from workers.refusals import RefusalError

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
CHOSEN, REJECTED = [1, 7, 9, 12, 4, 30, 21, 8, 5, 33], [1, 7, 9, 13, 4, 6, 22]
PAIR = Pair("p", "d", "Is the old bridge open?", "I am not sure, please check the sign.", "Yes, of course.", "c", {})


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copytree(MODELS / "llama-gqa", tmp_path / "model"))


def ids_of(*tokens):
    return torch.tensor([tokens])


def ours(anatomy, make, chosen=CHOSEN, rejected=REJECTED):
    """The scores of both texts, as every instrument has them."""
    (run,) = pair_runs(anatomy, [make.pair(chosen, rejected)], None, Tally())
    return run.traces["chosen"].scores, run.traces["rejected"].scores


def same(first, second):
    return torch.allclose(torch.as_tensor(first), torch.as_tensor(second), rtol=1e-5, atol=1e-5)


def rewrite(directory, change):
    weights = load_file(directory / "model.safetensors")
    change(weights)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


def reconfigure(directory, **changes):
    config = directory / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **changes}))


# Padding and special tokens


@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
def test_padding_reading_the_last_column_instead_of_the_last_token(make, left):
    anatomy = anatomy_of(make.model("llama"))
    texts = [ids_of(*CHOSEN), ids_of(*REJECTED)]
    chosen, rejected = ours(anatomy, make)
    assert same(padded(anatomy, texts, left=left), torch.cat([chosen, rejected]))
    batch = ids_of(*REJECTED, 0, 0, 0)
    assert not same(anatomy.read_out(anatomy.backbone(input_ids=batch).last_hidden_state[:, -1]), rejected)


def test_pad_is_eos_reading_before_the_last_token_where_it_pads_too(make):
    """The library's own head takes the last token that is not the padding token."""
    model = make.model("llama")
    anatomy = anatomy_of(model)
    ends_in_eos = [*REJECTED, 2]
    model.config.pad_token_id = 2
    early = model(input_ids=ids_of(*ends_in_eos)).logits[:, 0]
    assert same(early, read(anatomy, ids_of(*REJECTED)).scores)
    assert same(ours(anatomy, make, CHOSEN, ends_in_eos)[1], read(anatomy, ids_of(*ends_in_eos)).scores)
    assert same(own_scores(model, anatomy, [ids_of(*ends_in_eos)]), ours(anatomy, make, CHOSEN, ends_in_eos)[1])
    assert not same(early, ours(anatomy, make, CHOSEN, ends_in_eos)[1])


def test_missing_pad_token_guessing_one(make):
    """A batch cannot be scored by the library then; by length it can."""
    model = make.model("llama", pad_token_id=None)
    with pytest.raises(ValueError, match="padding token"):
        model(input_ids=torch.tensor([CHOSEN, CHOSEN]))
    pairs = [make.pair(CHOSEN, REJECTED), make.pair(REJECTED, CHOSEN)]
    assert len(list(pair_rows(anatomy_of(model), pairs, Asked(), Tally()))) == 2


def test_bos_coming_twice_with_a_template_that_writes_it():
    writing = load_directory(MODELS / "llama-gqa-chat").writing
    text = writing._write(PAIR, PAIR.chosen)
    bos = writing.tokenizer.bos_token_id
    assert writing.tokenizer(text)["input_ids"].count(bos) == 2
    assert writing.encode(PAIR).chosen.ids.count(bos) == 1


def test_truncation_cutting_a_text_without_a_word(llama):
    long = Pair("p", "d", "yes " * 300, "and so on", "no", "c", {})
    assert len(llama.writing.tokenizer(long.prompt, truncation=True, max_length=256)["input_ids"]) == 256
    with pytest.raises(RefusalError, match=r"text_too_long.*\d\d\d tokens, longer than the model's context of 256"):
        llama.writing.encode(long)


def test_another_tokenizer_giving_tokens_without_an_embedding(llama):
    few = Writing(llama.writing.tokenizer, 256, vocabulary=20)
    with pytest.raises(RefusalError, match=r"other_tokenizer.*embeds 20"):
        few.encode(PAIR)


# What is loaded


def test_missing_keys_initialising_a_fresh_head(copy):
    """The classic silent disaster: a language model loaded as a reward model scores at random."""
    rewrite(copy, lambda weights: weights.pop("score.weight"))
    with pytest.raises(RefusalError, match=r"incomplete_checkpoint.*missing keys: score\.weight"):
        load_directory(copy)


def test_unexpected_keys_dropping_what_the_checkpoint_holds(copy):
    rewrite(copy, lambda weights: weights.update({"score.scale": torch.ones(1)}))
    with pytest.raises(RefusalError, match=r"incomplete_checkpoint.*unexpected keys: score\.scale"):
        load_directory(copy)


def test_head_bias_in_the_checkpoint_that_the_library_would_leave_out(copy):
    """Its classifiers have no place for one: it is kept in a score, and cancels in a margin and in attribution."""
    plain = rows_of(load_directory(copy))
    rewrite(copy, lambda weights: weights.update({"score.bias": torch.tensor([2.5])}))
    biased = rows_of(load_directory(copy))
    for before, after in zip(plain, biased, strict=True):
        if before["kind"] == "score":
            assert after["score"] - before["score"] == pytest.approx(2.5, abs=1e-5)
        else:
            assert after["chosen"] == pytest.approx(before["chosen"], abs=1e-6)


@pytest.mark.parametrize("bias", [torch.ones(2), torch.ones(1, 1), torch.tensor([float("nan")])])
def test_head_bias_that_is_none(copy, bias):
    rewrite(copy, lambda weights: weights.update({"score.bias": bias}))
    with pytest.raises(RefusalError, match=r"incomplete_checkpoint.*score\.bias|not_finite|conformance"):
        load_directory(copy)


def rows_of(checkpoint):
    pair = checkpoint.writing.encode(PAIR)
    (rows,) = pair_rows(checkpoint.anatomy, [pair], Asked(attribution="frozen_norm"), Tally())
    return rows


def test_num_labels_taking_the_first_of_several_outputs(copy):
    reconfigure(copy, id2label={"0": "a", "1": "b"}, label2id={"a": 0, "b": 1})
    rewrite(
        copy, lambda weights: weights.update({"score.weight": torch.cat([weights["score.weight"], torch.ones(1, 64)])})
    )
    with pytest.raises(RefusalError, match=r"several_outputs.*readout"):
        load_directory(copy)
    first, second = (read(load_directory(copy, output).anatomy, ids_of(*CHOSEN)).scores for output in (0, 1))
    assert not same(first, second)


def test_train_mode_leaving_dropout_on(make):
    model = tiny.grow(3, ATTENTION)
    anatomy, writing = anatomy_of(model), Writing(tiny.tokenizer(), tiny.CONTEXT)
    assert conform(model, anatomy, writing)
    model.model.layers[0].train()
    with pytest.raises(RefusalError, match=r"conformance.*'evaluation'"):
        conform(model, anatomy, writing)
    assert not load_directory(MODELS / "gpt2").anatomy.backbone.training


def test_offload_patching_weights_that_are_elsewhere(make):
    model = tiny.grow(3, ATTENTION)
    anatomy = anatomy_of(model)
    model.hf_device_map = {"": "disk"}
    with pytest.raises(RefusalError, match=r"conformance.*'devices'.*offloaded"):
        conform(model, anatomy, Writing(tiny.tokenizer(), tiny.CONTEXT))


def test_dtype_scoring_in_halves_where_that_changes_rankings(copy):
    """Half-precision weights are computed with in float32 on a CPU, and evidence says so."""
    reconfigure(copy, dtype="bfloat16")
    rewrite(copy, lambda weights: weights.update({name: value.bfloat16() for name, value in weights.items()}))
    checkpoint = load_directory(copy)
    assert checkpoint.facts(Tally())["dtype"] == "float32"
    ids = ids_of(*CHOSEN)
    halves = copying.deepcopy(checkpoint.anatomy.backbone).bfloat16()
    rough = checkpoint.anatomy.read_out(halves(input_ids=ids).last_hidden_state[:, -1])
    exact = read(checkpoint.anatomy, ids).scores
    assert not same(rough, exact)


def test_half_readout_adding_up_a_reward_in_halves(make):
    model = make.model("llama")
    anatomy = anatomy_of(model.bfloat16())
    hidden = torch.linspace(-3, 3, 16).bfloat16()
    exact = hidden.double() @ anatomy.direction.double()
    assert anatomy.read_out(hidden).dtype == torch.float32
    assert float(anatomy.read_out(hidden)) == pytest.approx(float(exact), rel=1e-5)
    assert float(hidden @ anatomy.direction) != pytest.approx(float(exact), rel=1e-5)


@pytest.mark.parametrize("where", ["weight", "activation"])
def test_nan_reported_as_a_score(copy, where):
    name, value = ("score.weight", float("nan")) if where == "weight" else ("model.layers.2.mlp.up_proj.weight", 3e38)
    rewrite(copy, lambda weights: weights[name].fill_(value))
    with pytest.raises(RefusalError, match=r"not_finite: .*(score\.weight|L2)"):
        load_directory(copy)


# What the layers hold


def test_soft_cap_dropped_by_fused_attention_or_read_from_the_configuration(make):
    """It is honoured as the layers hold it: a configuration changed afterwards changes neither model nor reading."""
    model = make.model("gemma2", attn_logit_softcapping=2.0, query_pre_attn_scalar=5)
    before = model(input_ids=ids_of(*CHOSEN)).logits[:, 0]
    uncapped = make.model("gemma2", attn_logit_softcapping=None, query_pre_attn_scalar=5)
    uncapped.load_state_dict(model.state_dict())
    model.config.attn_logit_softcapping = None
    anatomy = anatomy_of(model)
    assert {block.softcap for block in anatomy.blocks} == {2.0}
    assert same(ours(anatomy, make)[0], before)
    assert not same(ours(anatomy_of(uncapped), make)[0], before)


@pytest.mark.parametrize("family", ["gemma2", "gemma3_text", "mistral", "qwen2"])
def test_sliding_window_seen_through(make, family):
    narrow = {"sliding_window": 4}
    if family != "mistral":
        narrow["layer_types"] = ["sliding_attention", "full_attention", "sliding_attention"]
    if family == "qwen2":
        narrow["use_sliding_window"] = True
    model = make.model(family, **narrow)
    own = model(input_ids=ids_of(*CHOSEN)).logits[:, 0]
    anatomy = anatomy_of(model)
    assert 4 in anatomy.windows
    assert same(ours(anatomy, make)[0], own)
    wide = make.model(family, **{**narrow, "sliding_window": 64})
    wide.load_state_dict(model.state_dict())
    assert not same(ours(anatomy_of(wide), make)[0], own)


def test_window_ranking_cells_that_no_window_can_carry(make):
    """A patch further from the last token than the remaining windows reach is unreachable, not zero."""
    anatomy = anatomy_of(make.model("mistral", sliding_window=2))
    plan = PatchPlan("component", "start", "all", ("noising",))
    chosen, rejected = [1, 7, 9, *range(4, 14)], [1, 8]
    (rows,) = pair_rows(anatomy, [make.pair(chosen, rejected)], Asked(patch=plan), Tally())
    states = {row["component"]: row["state"] for row in rows if row["kind"] == "patch"}
    assert states["attn_L0"] == "unreachable_window"
    assert states["mlp_L2"] == "unreachable"


def test_grouped_queries_counting_heads_by_their_keys(make):
    model = make.model("llama")
    anatomy = anatomy_of(model)
    assert len(sites_of(anatomy, "head")) == model.config.num_hidden_layers * model.config.num_attention_heads
    assert model.config.num_key_value_heads < model.config.num_attention_heads
    (run,) = pair_runs(anatomy, [make.pair(CHOSEN, REJECTED)], None, Tally())
    terms = contributions(anatomy, run.traces["chosen"], "frozen_norm", "head")
    assert len([name for name in terms if name.startswith("head_L0_")]) == model.config.num_attention_heads


def test_tied_embeddings_counted_among_what_is_missing(copy):
    """A configuration that ties embeddings asks no key of the checkpoint that a classifier does not have."""
    reconfigure(copy, tie_word_embeddings=True)
    assert load_directory(copy).conformance["self_patch"] == 0


def test_head_bias_lost_from_a_score_or_left_in_a_margin(make):
    model = make.model("llama")
    chosen, rejected = ours(anatomy_of(model), make)
    model.score.bias = nn.Parameter(torch.tensor([2.5]), requires_grad=False)
    with_bias = ours(anatomy_of(model), make)
    assert same(with_bias[0], chosen + 2.5)
    assert same(with_bias[0] - with_bias[1], chosen - rejected)
    (rows,) = pair_rows(
        anatomy_of(model), [make.pair(CHOSEN, REJECTED)], Asked(attribution="frozen_norm", lens=True), Tally()
    )
    differentials = sum(row["differential"] for row in rows if row["kind"] == "attribution")
    assert differentials == pytest.approx(float(chosen - rejected), abs=1e-4)


def test_query_norms_and_biases_left_out(make):
    """What a family has beyond Llama changes its scores, and ours with them."""
    for family, more, name in (
        ("qwen3", {}, "model.layers.0.self_attn.q_norm.weight"),
        ("qwen2", {}, "model.layers.0.self_attn.k_proj.bias"),
        ("gemma2", {}, "model.layers.0.post_attention_layernorm.weight"),
        ("gpt_neox", {"use_parallel_residual": True}, "gpt_neox.layers.0.attention.dense.bias"),
    ):
        model = make.model(family, **more)
        before = ours(anatomy_of(model), make)[0]
        model.get_parameter(name).add_(torch.linspace(-1, 1, model.get_parameter(name).numel()))
        after = ours(anatomy_of(model), make)[0]
        assert not same(before, after), family
        assert same(after, model(input_ids=ids_of(*CHOSEN)).logits[:, 0]), family


def test_layer_norm_attributing_without_what_it_centres_and_shifts(make):
    anatomy = anatomy_of(make.model("gpt2", n_positions=64, n_embd=16, n_layer=3, n_head=4))
    (run,) = pair_runs(anatomy, [make.pair(CHOSEN, REJECTED)], None, Tally())
    terms = contributions(anatomy, run.traces["chosen"])
    total = sum(float(term) for term in terms.values())
    assert total == pytest.approx(float(run.traces["chosen"].scores), rel=1e-4)
    assert abs(float(terms["norm_bias"])) > 1e-3


# Patching


def test_self_patch_moving_the_score(make):
    anatomy = anatomy_of(make.model("gemma2", attn_logit_softcapping=2.0))
    own = read(anatomy, ids_of(*CHOSEN))
    for name, output in own.outputs.items():
        assert torch.equal(score(anatomy, ids_of(*CHOSEN), {name: lambda _, output=output: output.clone()}), own.scores)


def test_start_alignment_ranking_a_zero_that_is_zero_by_construction(make):
    """With a longer chosen side the last layer cannot reach the last token: its effect says nothing."""
    anatomy = anatomy_of(make.model("llama"))
    states = {}
    for alignment in ("start", "end"):
        plan = PatchPlan("component", alignment, "all", ("noising",))
        (rows,) = pair_rows(anatomy, [make.pair(CHOSEN, REJECTED)], Asked(patch=plan), Tally())
        states[alignment] = {row["component"]: row["state"] for row in rows if row["kind"] == "patch"}
    assert states["start"]["mlp_L2"] == states["start"]["attn_L2"] == "unreachable"
    assert set(states["end"].values()) == {"ok"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"chosen": "Yes, of course."}, "identical_pair"),
        ({"chosen": " "}, "empty_response"),
        ({"rejected": "\n"}, "empty_response"),
    ],
)
def test_a_pair_that_prefers_nothing_counted_as_a_draw(llama, changes, reason):
    with pytest.raises(RefusalError, match=f"{reason}.*'p'"):
        llama.writing.encode(Pair(**{**vars(PAIR), **changes}))
