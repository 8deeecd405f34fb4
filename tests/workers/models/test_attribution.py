import pytest
import torch
from transformers import (
    LlamaConfig,
    LlamaForSequenceClassification,
    MistralConfig,
    MistralForSequenceClassification,
    Qwen3Config,
    Qwen3ForSequenceClassification,
)

from workers.models.attribution import contributions
from workers.models.reading import read
from workers.models.sites import find_sites
from workers.refusals import RefusalError

IDS = torch.tensor([[5, 6, 7, 8], [9, 6, 7, 3]])
SMALL = {
    "vocab_size": 32,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "max_position_embeddings": 32,
    "num_labels": 1,
    "attn_implementation": "eager",
}


def small(model=LlamaForSequenceClassification, config=LlamaConfig, **more):
    torch.manual_seed(1)
    built = model(config(**{**SMALL, **more})).eval()
    with torch.no_grad():
        for weight in built.parameters():
            weight.normal_(std=0.4)
    return built


@pytest.mark.parametrize(
    ("model", "config"),
    [
        (LlamaForSequenceClassification, LlamaConfig),
        (MistralForSequenceClassification, MistralConfig),
        (Qwen3ForSequenceClassification, Qwen3Config),
    ],
)
def test_contributions_sum_to_the_reward(model, config):
    sites = find_sites(small(model, config))
    reading = read(sites, IDS)
    terms = contributions(sites, reading)
    assert list(terms) == ["embed", *sites.components]
    total = torch.stack(list(terms.values()))
    assert ((total.sum(0) - reading.scores).abs() <= 1e-5 * total.abs().sum(0)).all()


def test_a_bias_of_the_head_is_in_the_score_and_in_no_contribution():
    model = small()
    plain = read(find_sites(model), IDS)
    model.score.bias = torch.nn.Parameter(torch.tensor([2.5]))
    sites = find_sites(model)
    biased = read(sites, IDS)
    assert torch.allclose(biased.scores - plain.scores, torch.tensor(2.5))
    total = sum(contributions(sites, biased).values())
    assert torch.allclose(total.float(), plain.scores, atol=1e-5)


def test_a_head_with_several_outputs_is_read_at_the_one_named():
    model = small(num_labels=3)
    own = model(input_ids=IDS[:1]).logits[0]
    for output in range(3):
        sites = find_sites(model, output)
        reading = read(sites, IDS[:1])
        assert reading.scores[0].item() == pytest.approx(own[output].item(), abs=1e-6)
        contributions(sites, reading)


def test_what_does_not_add_up_is_refused():
    model = small()
    sites = find_sites(model)
    # A layer that writes to the residual stream outside its attention and its MLP.
    model.model.layers[1].register_forward_hook(lambda _module, _inputs, output: output + 0.1)
    with pytest.raises(RefusalError, match="attribution_incomplete"):
        contributions(sites, read(sites, IDS))


def test_a_value_that_is_not_finite_is_refused_by_the_name_of_its_component():
    model = small()
    with torch.no_grad():
        model.model.layers[1].mlp.down_proj.weight[0, 0] = float("nan")
    with pytest.raises(RefusalError, match="mlp_L1 gives NaN or Inf"):
        read(find_sites(model), IDS)


def test_a_family_that_is_not_known_is_refused():
    model = small()
    model.config.model_type = "unheard_of"
    with pytest.raises(RefusalError, match="unheard_of"):
        find_sites(model)
