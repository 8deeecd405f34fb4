import pytest
import torch

from workers.models.attribution import contributions
from workers.models.families import anatomy_of
from workers.models.pair_rows import Asked, pair_rows, patch_cells
from workers.models.pair_runs import PatchPlan, Tally, pair_runs
from workers.models.patching import sites_of
from workers.refusals import RefusalError


@pytest.fixture
def pair(make):
    return make.pair([5, 6, 7, 8], [5, 6, 3, 9, 4])


def traced(model, pair, output=0):
    anatomy = anatomy_of(model, output)
    (run,) = pair_runs(anatomy, [pair], None, Tally())
    return anatomy, run.traces["chosen"]


def test_a_bias_of_the_head_is_in_the_score_and_in_no_contribution(make, pair):
    model = make.model("llama")
    _, plain = traced(model, pair)
    model.score.bias = torch.nn.Parameter(torch.tensor([2.5]))
    anatomy, biased = traced(model, pair)
    assert torch.allclose(biased.scores - plain.scores, torch.tensor(2.5))
    assert torch.allclose(sum(contributions(anatomy, biased).values()).float(), plain.scores, atol=1e-5)


def test_a_head_with_several_outputs_is_read_at_the_one_named(make, pair):
    model = make.model("llama", num_labels=3)
    own = model(input_ids=torch.tensor([pair.chosen.ids])).logits[0]
    for output in range(3):
        anatomy, trace = traced(model, pair, output)
        assert trace.scores[0].item() == pytest.approx(own[output].item(), abs=1e-5)
        contributions(anatomy, trace)


def test_what_does_not_add_up_is_refused(make, pair):
    anatomy, trace = traced(make.model("llama"), pair)
    trace.layers[1].mlp.add_(0.1)  # as a layer does that adds what its components do not tell of
    with pytest.raises(RefusalError, match="attribution_incomplete"):
        contributions(anatomy, trace)


@pytest.mark.parametrize("name", ["attn_L1", "mlp_L1"])
def test_a_value_that_is_not_finite_is_refused_by_the_name_of_its_component(make, pair, name):
    model = make.model("llama")
    weight = {"attn_L1": model.model.layers[1].self_attn.o_proj, "mlp_L1": model.model.layers[1].mlp.down_proj}[name]
    weight.weight[0, 0] = float("nan")
    with pytest.raises(RefusalError, match=f"{name} gives NaN or Inf"):
        list(pair_rows(anatomy_of(model), [pair], Asked(), Tally()))


def test_a_score_that_only_a_patch_makes_nan_is_refused_with_the_component(make, pair):
    """LayerNorm takes a mean before it squares: what is large enough overflows to NaN, and is no number less."""
    anatomy = anatomy_of(make.model("gpt2", n_embd=16, n_layer=3, n_head=4))
    plan = PatchPlan("component", "end", "all", ("noising",))
    (run,) = pair_runs(anatomy, [pair], plan, Tally())
    run.traces["rejected"].layers[1].mlp[:, -1] = 1e30
    with pytest.raises(RefusalError, match="not_finite: Patching mlp_L1 gives NaN or Inf"):
        list(patch_cells(anatomy, run, sites_of(anatomy, "component"), "noising", budget=1, tally=Tally()))


def test_a_family_that_is_not_known_is_refused(make):
    model = make.model("llama")
    model.config.model_type = "unheard_of"
    with pytest.raises(RefusalError, match="unheard_of"):
        anatomy_of(model)


def test_a_rotation_that_hangs_on_the_length_of_the_text_is_refused(make):
    """The keys of a text's beginning would change with its end."""
    rope = {"rope_type": "dynamic", "rope_theta": 10_000.0, "factor": 2.0}
    with pytest.raises(RefusalError, match="changes with the length"):
        anatomy_of(make.model("llama", rope_parameters=rope))


def test_attention_that_looks_ahead_is_refused(make):
    model = make.model("gemma3_text")
    model.model.layers[0].self_attn.is_causal = False
    with pytest.raises(RefusalError, match="looks ahead"):
        anatomy_of(model)
