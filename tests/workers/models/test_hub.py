"""Checkpoints of the hub, from a cache laid out as the hub's own library lays it out."""

import shutil
from pathlib import Path

import pytest
from huggingface_hub import constants

from claims.registration.model import HuggingFaceModel
from claims.weights import weights_sha256
from workers.models import hub
from workers.models.loading import load
from workers.refusals import RefusalError

LLAMA = Path(__file__).parents[2] / "fixtures" / "models" / "llama-gqa"
REPO, REVISION, ELSE = "maker/reward", "a" * 40, "b" * 40


@pytest.fixture
def snapshot(tmp_path, monkeypatch):
    """Files by their content under blobs/, and links to them by name under snapshots/."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = tmp_path / "hub" / "models--maker--reward"
    snapshot = folder / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (folder / "blobs").mkdir()
    for number, file in enumerate(sorted(LLAMA.iterdir())):
        shutil.copy(file, folder / "blobs" / f"{number:040x}")
        (snapshot / file.name).symlink_to(f"../../blobs/{number:040x}")
    return snapshot


def named(revision=REVISION, **more):
    return HuggingFaceModel(kind="huggingface", repo=REPO, revision=revision, **more)


def test_a_pinned_revision_in_the_cache_is_loaded_from_there(snapshot, llama):
    checkpoint = load(named(), None)
    assert checkpoint.weights_sha256 == weights_sha256(snapshot) == weights_sha256(LLAMA)
    assert checkpoint.conformance == llama.conformance


def test_a_readout_is_taken_from_the_registration(snapshot):
    with pytest.raises(RefusalError, match="no_such_output"):
        load(named(readout=1), None)


@pytest.mark.parametrize("model", [named(ELSE), HuggingFaceModel(kind="huggingface", repo="no/one", revision=REVISION)])
def test_a_revision_that_the_cache_lacks_is_refused_with_the_command_that_fetches_it(snapshot, model):
    with pytest.raises(RefusalError) as refusal:
        load(model, None)
    assert refusal.value.reason == "not_downloaded"
    command = hub.command(model.repo, model.revision)
    assert refusal.value.remedy.endswith(command)
    assert command.startswith(f"HF_HUB_OFFLINE=0 hf download {model.repo} --revision {model.revision} --include ")


def test_the_command_is_one_that_the_hubs_program_takes():
    """All its options are known, and what it fetches holds neither pickles nor code."""
    from fnmatch import fnmatch
    from inspect import signature

    from huggingface_hub.cli.download import download

    options = {part.removeprefix("--") for part in hub.command(REPO, REVISION).split() if part.startswith("--")}
    assert options <= set(signature(download).parameters)
    for name in ("model.safetensors", "model-00001-of-00002.safetensors", "config.json", "tokenizer.json"):
        assert any(fnmatch(name, pattern) for pattern in hub.WANTED)
    for name in ("pytorch_model.bin", "modeling_own.py", "model.pt", "training_args.bin", "model.h5"):
        assert not any(fnmatch(name, pattern) for pattern in hub.WANTED)


def test_nothing_is_asked_of_a_network_unless_the_operator_says_so(snapshot, monkeypatch):
    asked = []
    monkeypatch.setattr(hub, "snapshot_download", lambda *_, **how: asked.append(how) or str(snapshot))
    for setting in ("1", "true", "0"):
        monkeypatch.setenv("HF_HUB_OFFLINE", setting)
        load(named(), None)
    assert [how["local_files_only"] for how in asked] == [True, True, False]
    assert {tuple(how["allow_patterns"]) for how in asked} == {hub.WANTED}


def test_a_snapshot_whose_link_leads_out_of_the_repositorys_cache_is_refused(snapshot, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    (snapshot / "generation_config.json").symlink_to(secret)
    with pytest.raises(RefusalError, match=r"unusable_model: generation_config\.json .*leads out"):
        load(named(), None)


def test_weights_that_are_still_missing_are_refused(snapshot):
    (snapshot / "model.safetensors").unlink()
    with pytest.raises(RefusalError, match=r"holds no \*\.safetensors"):
        load(named(), None)
