"""A measurement that cannot be made is written down whatever its reason says, and in words that anyone may read."""

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from app.ledger import datasets, filing, judging
from app.ledger.signing import Signing
from claims.instrument_source import source_sha256
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from workers.finishing import finish_run
from workers.measuring import measure_shard

ROOT = Path(__file__).parents[3]
LLAMA = ROOT / "tests" / "fixtures" / "models" / "llama-gqa"
DECLARED = 300 * 10**9  # bytes of weights
REFUSED = ["registered", "opened", "refused", "run_ended", "voided"]
TERMINATE = text("SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.fixture
def model(tmp_path):
    """A copy of a checkpoint under a model root of the test's own."""
    return Path(shutil.copytree(LLAMA, tmp_path / "root" / LLAMA.name))


@pytest.fixture
def model_worker(worker, model):
    return replace(worker, model_root=model.parent)


@pytest.fixture
def file_agreement(ledger, model, monkeypatch):
    """`file_agreement()`: the example on the copy, filed before anybody touched its files; returns the claim's id."""
    for module in ("app.ledger.filing", "workers.source"):
        monkeypatch.setattr(f"{module}.source_sha256", source_sha256)

    def filed():
        document = copy.deepcopy(read_yaml((ROOT / "examples" / "agreement.yaml").read_bytes()))
        signing = Signing("test", Ed25519PrivateKey.generate())
        with ledger.begin() as session:
            datasets.upload(session, read_pairs((LLAMA / "pairs.jsonl").read_bytes()), "llama-gqa", "ada")
            frozen = freeze_document(document)
            return filing.file(
                session, frozen, "ada", signing=signing, public_url="http://x", model_root=model.parent
            ).claim

    return filed


def reconfigure(model, **changes):
    config = model / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **changes}))


@pytest.mark.parametrize(
    ("model_type", "shown"), [("x\0y", r"x\0y"), ("x\ud800y", r"x\ud800y"), ("x\udfff\0", r"x\udfff\0"), ("ä", "ä")]
)
def test_characters_that_the_ledger_cannot_hold_are_written_as_escapes(  # noqa: PLR0917 - fixtures
    model_worker, model, file_agreement, watch, model_type, shown
):
    claim = file_agreement()
    reconfigure(model, model_type=model_type)
    assert measure_shard(model_worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == REFUSED
    refusal = watch.history(claim)[2].payload["refusal"]
    assert refusal["reason"] == "unreadable_checkpoint"
    assert shown in refusal["detail"]


def test_where_the_models_lie_is_not_told(model_worker, model, file_agreement, watch):
    claim = file_agreement()
    (model / "config.json").write_text("{")
    assert measure_shard(model_worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == REFUSED
    assert "'llama-gqa'" in watch.history(claim)[2].payload["refusal"]["detail"]
    assert str(model.parent) not in json.dumps([entry.payload for entry in watch.history(claim)])


def test_weights_that_no_memory_holds_void_the_run_before_they_are_read(model_worker, model, file_agreement, watch):
    claim = file_agreement()
    header = json.dumps({"a": {"dtype": "F32", "shape": [DECLARED // 4], "data_offsets": [0, DECLARED]}}).encode()
    with (model / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + DECLARED)  # as large as it says, and takes no room
    assert measure_shard(model_worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == ["registered", "opened", "run_ended", "voided"]
    payload = watch.history(claim)[-1].payload
    assert payload["reason"] == "insufficient_memory"
    assert payload["figures"]["need_bytes"] >= DECLARED > payload["figures"]["have_bytes"] > 0


def test_a_connection_lost_while_refusing_costs_no_refusal(worker, file_claim, watch, monkeypatch):
    claim = file_claim(coins=4, trouble="refusal")
    tries = []
    record = judging.record_refusal

    def recording(session, run, refusal):
        tries.append(run.id)
        if len(tries) == 1:
            session.execute(TERMINATE)
        record(session, run, refusal)

    monkeypatch.setattr(judging, "record_refusal", recording)
    assert measure_shard(worker, f"{claim}-1", 0) is None
    assert len(tries) == 2
    assert watch.types(claim) == REFUSED


def test_a_judge_s_failure_is_written_down_whatever_it_says(worker, file_claim, watch, monkeypatch):
    claim = file_claim(coins=4)
    for index in range(4):
        measure_shard(worker, f"{claim}-1", index)

    def broken(*_):
        raise ArithmeticError("half \ud800 of \0")

    monkeypatch.setattr("workers.finishing.assemble", broken)
    for _ in range(3):
        assert not finish_run(worker.ledger, f"{claim}-1")
    assert watch.history(claim)[-1].payload["figures"]["failure"] == r"ArithmeticError: half \ud800 of \0"
