"""What a worker measures and what `antedate measure` does: the same bytes, the same estimates."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.ledger import datasets, filing, records
from app.ledger.signing import Signing
from claims.evidence import Evidence
from claims.instrument_source import source_sha256
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from workers import row_file
from workers.finishing import finish_run
from workers.measuring import measure_shard
from workers.unregistered import asking
from workers.unregistered.asking import Options
from workers.unregistered.running import run, shards_of

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "fixtures" / "models"
LLAMA = MODELS / "llama-gqa"
PAIRS = read_pairs((LLAMA / "pairs.jsonl").read_bytes())


@pytest.fixture
def document():
    return copy.deepcopy(read_yaml((ROOT / "examples" / "agreement.yaml").read_bytes()))


@pytest.fixture
def recorded(worker, watch, document, monkeypatch):
    """The evidence of the agreement example, filed and measured by a worker."""
    for module in ("app.ledger.filing", "workers.source"):
        monkeypatch.setattr(f"{module}.source_sha256", source_sha256)
    signing = Signing("test", Ed25519PrivateKey.generate())
    with worker.ledger.begin() as session:
        datasets.upload(session, PAIRS, "llama-gqa", "ada")
        frozen = freeze_document(document)
        claim = filing.file(session, frozen, "ada", signing=signing, public_url="http://x", model_root=MODELS).claim
    for shard in watch.shards(claim):
        assert measure_shard(replace(worker, model_root=MODELS), shard.run, shard.index) == shard.run
    assert finish_run(worker.ledger, f"{claim}-1")
    with worker.ledger.begin() as session:
        return Evidence.model_validate(records.evidence_of(session, claim).body)


def test_without_a_server_the_numbers_are_the_same(recorded, document):
    instrument = document["instrument"]["name"]
    given = (instrument, str(LLAMA), str(LLAMA / "pairs.jsonl"), (), "{}", None, None, ())
    question = asking.question(Options(*given, document["analysis"]["confidence"], None, None, None))
    with row_file.temporary() as files:
        found = run(question, shards_of(question), files, lambda done: None)
    assert found.rows_sha256 == recorded.rows_sha256
    assert comparable(found) == comparable(recorded)
    assert [one.nondeterminism["cells"] for one in (found, recorded)] == [76, 76]
    assert found.cost["forwards"] == recorded.cost["forwards"]


def comparable(evidence):
    """Without what another seed draws: the pairs that are measured twice, and the control's order."""
    told = evidence.model_dump(exclude={"provenance", "cost", "nondeterminism"})
    del told["diagnostics"]["shuffled_rho"]
    return told
