"""A real worker meets hostile checkpoints and goes on to measure an honest subject."""

import copy
import shutil
from pathlib import Path

import psutil
import pytest
import torch
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from safetensors.torch import load_file, save_file

from app.ledger import datasets, filing
from app.ledger.signing import Signing
from claims.instrument_source import source_sha256
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.weights import weights_sha256

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "fixtures" / "models"
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


def not_finite(directory):
    weights = load_file(directory / "model.safetensors")
    weights["model.norm.weight"][0] = torch.nan
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


def looping(directory):
    (directory / "chat_template.jinja").write_text(LOOP)


HOSTILE = {"not_finite": ("llama-gqa", not_finite), "chat_template": ("llama-gqa-chat", looping)}


@pytest.fixture
def root(tmp_path):
    """A model root with a hostile checkpoint by the reason for which it is refused."""
    for reason, (model, spoil) in HOSTILE.items():
        spoil(Path(shutil.copytree(MODELS / model, tmp_path / "root" / reason)))
    return tmp_path / "root"


@pytest.fixture
def file_about(ledger, root, monkeypatch):
    """`file_about(**model)`: the example agreement about another model; the claim's id."""
    for module in ("app.ledger.filing", "workers.source"):
        monkeypatch.setattr(f"{module}.source_sha256", source_sha256)
    signing = Signing("test", Ed25519PrivateKey.generate())
    with ledger.begin() as session:
        datasets.upload(session, read_pairs((MODELS / "llama-gqa" / "pairs.jsonl").read_bytes()), "pairs", "ada")

    def filed(**model):
        document = copy.deepcopy(read_yaml((ROOT / "examples" / "agreement.yaml").read_bytes()))
        document["title"] = f"Agreement in {model}"[:200]
        document["subject"]["model"] = model
        with ledger.begin() as session:
            frozen = freeze_document(document)
            return filing.file(session, frozen, "ada", signing=signing, public_url="http://x", model_root=root).claim

    return filed


def test_hostile_checkpoints_are_refused_and_the_same_worker_measures_on(
    file_about, start_worker, watch, eventually, root
):
    hostile = {
        reason: file_about(kind="local", directory=reason, weights_sha256=weights_sha256(root / reason))
        for reason in HOSTILE
    }
    hostile["not_downloaded"] = file_about(kind="huggingface", repo="maker/reward", revision="a" * 40)
    worker = start_worker(ANTEDATE_MODEL_ROOT=str(root), COIN_TORCH="1")

    def all_are_void():
        return all(watch.status(claim) == "void" for claim in hostile.values())

    eventually(all_are_void, seconds=240)
    children = {child.pid for child in psutil.Process(worker.pid).children(recursive=True)}
    for reason, claim in hostile.items():
        (refused,) = [entry for entry in watch.history(claim) if entry.type == "refused"]
        assert refused.payload["refusal"]["reason"] == reason
        assert refused.payload["refusal"]["remedy"]

    honest = file_about(kind="tiny", seed=7)

    def it_is_judged():
        return watch.status(honest) in {"confirmed", "refuted", "inconclusive"}

    eventually(it_is_judged, seconds=240)
    assert worker.poll() is None
    assert {child.pid for child in psutil.Process(worker.pid).children(recursive=True)} == children
