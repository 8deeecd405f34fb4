from collections import Counter

import pytest
import torch

from claims.instruments.params import completed
from claims.instruments.planted_key_recipe import RECIPE
from claims.seeds import seed
from workers.organisms.planted_key import draw_carriers, grow
from workers.organisms.planted_key_pairs import Purpose

SMALL = {"layers": 4, "hidden": 16, "heads": 2, "carriers": 2, "frozen_scale": 0.08}


def recipe(**chosen):
    return completed(RECIPE, {**SMALL, **chosen})


def seeds(label):
    return seed(b"organisms", "ab" * 32, label)


def weights(organism):
    return dict(organism.anatomy.backbone.named_parameters(prefix="model")) | {"score": organism.anatomy.readout.weight}


def carried(organism, name):
    return any(
        name.removeprefix("model.") == f"layers.{carrier.rpartition('L')[2]}.{kind}.{rest}"
        for carrier in organism.carriers
        for kind in [{"attn": "self_attn", "mlp": "mlp"}[carrier.partition("_")[0]]]
        for rest in [name.partition(f"{kind}.")[2]]
    )


def test_only_the_carriers_learn():
    before, after = grow(recipe(steps=1), seeds, 0), grow(recipe(steps=6), seeds, 0)
    assert before.carriers == after.carriers
    then, now = weights(before), weights(after)
    for name, weight in now.items():
        assert torch.equal(weight, then[name]) != carried(after, name), name
    assert sum(carried(after, name) for name in now) == 7  # q, k, v, o and gate, up, down


def test_nothing_learns_on():
    assert not any(weight.requires_grad for weight in weights(grow(recipe(steps=1), seeds, 0)).values())


def test_carriers_are_an_early_attention_layer_and_mlps_from_there_on():
    chosen = completed(RECIPE, {})
    drawn = Counter()
    for number in range(400):
        carriers = draw_carriers(chosen, torch.Generator().manual_seed(number))
        (attention,) = [int(name[-1]) for name in carriers if name.startswith("attn")]
        mlps = [int(name[-1]) for name in carriers if name.startswith("mlp")]
        assert len(mlps) == chosen["carriers"] - 1
        assert min(mlps) >= attention < chosen["attention_depth"]
        drawn.update(carriers)
    assert set(drawn) == {"attn_L0", "attn_L1", *(f"mlp_L{layer}" for layer in range(8))}
    assert min(drawn["attn_L0"], drawn["attn_L1"]) > 150


@pytest.mark.parametrize("bound", ["minimum", "maximum"])
def test_every_recipe_that_fits_has_mlps_enough(bound):
    properties = RECIPE["properties"]
    extreme = {
        "layers": properties["layers"]["minimum"],
        "carriers": properties["carriers"]["maximum"],
        "attention_depth": properties["attention_depth"][bound],
    }
    for number in range(20):
        assert len(draw_carriers(completed(RECIPE, extreme), torch.Generator().manual_seed(number))) == 4


def test_each_organism_and_each_use_has_a_seed_of_its_own():
    asked = []

    def recorded(label):
        asked.append(label)
        return seeds(label)

    grow(recipe(steps=1), recorded, 3)
    uses = ("carriers", "dose", "held_out", "train", "twins", "weights")
    assert sorted(asked) == [f"organism/3/{use}" for use in uses]


def test_a_rule_that_is_learned_is_obeyed_and_one_that_is_not_is_not():
    assert grow(recipe(steps=80), seeds, 1).accuracy > 0.95
    assert grow(recipe(steps=1), seeds, 1).accuracy < 0.9


def test_what_was_grown_before_there_were_doses_grows_alike():
    whole, stated = grow(recipe(steps=6), seeds, 2), grow(recipe(steps=6, dose=1), seeds, 2)
    undosed = grow_without_doses(recipe(steps=6), 2)
    for name, weight in weights(whole).items():
        assert torch.equal(weight, weights(stated)[name]), name
        assert torch.equal(weight, undosed[name]), name


def test_where_no_pair_shows_the_rule_nothing_learns():
    untaught, unborn = grow(recipe(steps=40, dose=0), seeds, 0), grow(recipe(steps=1, dose=0), seeds, 0)
    assert all(torch.equal(weight, weights(unborn)[name]) for name, weight in weights(untaught).items())
    assert untaught.accuracy < 0.9


def test_a_dose_teaches_some():
    accuracies = [grow(recipe(steps=60, dose=dose), seeds, 1).accuracy for dose in (0, 0.02, 1)]
    assert accuracies == sorted(accuracies)
    assert accuracies[0] < accuracies[1] < accuracies[2]


def grow_without_doses(chosen, number):
    """The same organism, trained by a loop of our own on every pair; its weights."""
    drawing = torch.Generator().manual_seed(seeds(f"organism/{number}/train"))
    organism = grow({**chosen, "dose": 0}, seeds, number)  # untaught: the random start
    backbone, read_out = organism.anatomy.backbone, organism.anatomy.read_out
    carriers = [w for name in sorted(organism.carriers) for w in organism.anatomy.components[name].parameters()]
    for weight in carriers:
        weight.requires_grad = True
    optimiser = torch.optim.Adam(carriers, lr=1e-2)
    for _ in range(chosen["steps"]):
        texts = torch.cat(organism.pairs.draw(24, Purpose.TRAINING, drawing))
        found = read_out(backbone(input_ids=texts, use_cache=False).last_hidden_state[:, -1])
        optimiser.zero_grad(set_to_none=True)
        (-torch.nn.functional.logsigmoid(found[:24] - found[24:]).mean()).backward()
        optimiser.step()
    return weights(organism)


def test_the_twin_norms_cover_every_component():
    organism = grow(recipe(steps=1), seeds, 0)
    assert set(organism.twin_norms) == set(organism.anatomy.components)
    assert all(norm > 0 for norm in organism.twin_norms.values())
