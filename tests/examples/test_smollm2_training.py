import copy
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForSequenceClassification

from workers.models.loading import load_directory
from workers.models.text import Writing


def told(stage, done, total):
    assert 0 < done <= total, stage


@pytest.fixture
def recipe():
    from examples.smollm2.tuning import Recipe

    return Recipe(frozen=2, epochs=4, pairs_a_step=4, rate=1e-3, readout_rate=1e-3, decay=0.01, seed=0)


def test_training_reaches_its_goal_and_leaves_what_the_worker_loads(trunk, polite_pairs, recipe, tmp_path):
    from examples.smollm2.preferences import split
    from examples.smollm2.train import preferred_rightly, train

    model, tokenizer = trunk
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    writing = Writing(tokenizer, 256)
    parts = split(polite_pairs)
    assert sum(preferred_rightly(model, writing, parts.held_out, told)) == 0

    fitted = train(model, writing, parts.training, recipe, told)
    rightly = preferred_rightly(model, writing, parts.held_out, told)
    assert fitted.left_out >= 0.7
    assert sum(rightly) >= 0.9 * len(parts.held_out)

    for name, weight in model.state_dict().items():
        frozen = name.startswith(("model.embed_tokens", "model.layers.0.", "model.layers.1."))
        assert torch.equal(weight, before[name]) == frozen, name
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert load_directory(tmp_path).conformance["spread"] > 0
    _, info = AutoModelForSequenceClassification.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))


def test_scores_while_training_are_the_model_s_own(trunk, polite_pairs):
    """What is padded in a batch and cut at a layer is what one whole forward of one text gives."""
    from examples.smollm2.tuning import final_states, hidden_states

    model, tokenizer = trunk
    texts = [Writing(tokenizer, 256).encode(pair).chosen.ids for pair in polite_pairs[:5]]
    cut = final_states(model.model, hidden_states(model.model, texts, 2, told), 2)
    with torch.no_grad():
        whole = [model.model(input_ids=torch.tensor([ids])).last_hidden_state[0, -1] for ids in texts]
    assert torch.allclose(cut, torch.stack(whole), atol=1e-5)
    assert len(model.model.layers) == 4


def test_a_readout_is_the_minimum_of_its_loss():
    from examples.smollm2.readout import fit_readout

    differences = torch.randn(40, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64) + 0.3
    scale = differences.square().mean().sqrt()
    direction = (fit_readout(differences, 0.1).double() * scale).requires_grad_()
    margins = differences / scale @ direction
    loss = -torch.nn.functional.logsigmoid(margins).mean() + 0.05 * direction.square().sum()
    (slope,) = torch.autograd.grad(loss, direction)
    assert slope.abs().max() < 1e-6


@pytest.fixture
def opened():
    """The names of the files that this process opens while the test runs."""
    names: list[str] = []
    watching = [True]
    sys.addaudithook(lambda event, given: names.append(str(given[0])) if watching and event == "open" else None)
    yield names
    watching.clear()  # an audit hook cannot be taken away


@pytest.fixture
def trained(trunk, recipe, tmp_path, monkeypatch):
    """How often the builder, given a small trunk with its template, has trained."""
    from examples.smollm2 import build

    times = []

    def load_trunk():
        times.append(1)
        return copy.deepcopy(trunk)

    for name in build.CODE:
        (tmp_path / name).write_bytes((build.HERE / name).read_bytes())
    (tmp_path / "chat_template.jinja").write_text(trunk[1].chat_template)
    monkeypatch.setattr(build, "load_trunk", load_trunk)
    monkeypatch.setattr(build, "RECIPE", recipe)
    monkeypatch.setattr(build, "version", lambda name: "1")
    monkeypatch.setattr(build, "HERE", tmp_path)
    return times


def test_a_model_is_trained_once(trained, polite_pairs, tmp_path, opened):
    from claims.pairs import read_pairs
    from examples.smollm2 import build

    pairs = read_pairs(b"".join(pair.canonical() + b"\n" for pair in polite_pairs))

    directory = tmp_path / "root" / "model"
    first = build.build(directory, pairs)
    assert first["held_out"]["all"]["pairs"] == 12
    assert first["held_out"]["all"]["lo"] < first["held_out"]["all"]["accuracy"] <= 1
    assert build.build(directory, pairs) == first
    assert trained == [1]

    with safe_open(directory / "model.safetensors", "pt") as kept:
        assert "score.weight" in kept.keys()  # noqa: SIM118 - no mapping
    weights = directory / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\0")
    assert build.build(directory, pairs)["weights_sha256"] == first["weights_sha256"]
    assert trained == [1, 1]
    assert sorted(path.name for path in directory.parent.iterdir()) == ["model"]
    assert any(name.endswith("model.safetensors") for name in opened)
    assert [name for name in opened if "diagnostic" in name] == []


def test_a_trunk_that_is_another_file_is_refused(tmp_path):
    from examples.smollm2.trunk import TrunkError, load_trunk

    with pytest.raises(TrunkError, match="make study"):
        load_trunk(tmp_path / "absent.gguf")
    other = Path(tmp_path / "other.gguf")
    other.write_bytes(b"GGUF")
    with pytest.raises(TrunkError, match="SHA-256"):
        load_trunk(other)
