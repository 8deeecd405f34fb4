"""Evidence names the pairs that were measured, and pairs that are not those frozen decide nothing."""

import copy
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.ledger import datasets, filing, records
from app.ledger.queries import get_claim
from app.ledger.signing import Signing
from app.ledger.tables import ShardRow
from claims.evidence import Evidence
from claims.instrument_source import source_sha256
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from workers.finishing import finish_run
from workers.measuring import measure_shard

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "fixtures" / "models"
PAIRS = read_pairs((MODELS / "llama-gqa" / "pairs.jsonl").read_bytes())
OTHERS = read_pairs(PAIRS.canonical.replace(b'"meta":{}', b'"meta":{"edited":1}', 1))


@pytest.fixture
def model_worker(worker):
    return replace(worker, model_root=MODELS)


@pytest.fixture
def claim(ledger, monkeypatch):
    """The agreement example, filed on its sixteen pairs."""
    for module in ("app.ledger.filing", "workers.source"):
        monkeypatch.setattr(f"{module}.source_sha256", source_sha256)
    document = copy.deepcopy(read_yaml((ROOT / "examples" / "agreement.yaml").read_bytes()))
    signing = Signing("test", Ed25519PrivateKey.generate())
    with ledger.begin() as session:
        datasets.upload(session, PAIRS, "llama-gqa", "ada")
        frozen = freeze_document(document)
        return filing.file(session, frozen, "ada", signing=signing, public_url="http://x", model_root=MODELS).claim


@pytest.fixture
def measure(model_worker, claim, watch):
    """`measure()` every shard of the claim."""

    def measured():
        for shard in watch.shards(claim):
            assert measure_shard(model_worker, shard.run, shard.index) == shard.run

    return measured


@pytest.fixture
def judged(ledger, claim):
    """`judged()`: judge the run; returns the claim's status, the reasons of its verdict and its evidence."""

    def outcome():
        assert finish_run(ledger, f"{claim}-1")
        with ledger.begin() as session:
            evidence = Evidence.model_validate(records.evidence_of(session, claim).body)
            return get_claim(session, claim).status, evidence

    return outcome


def test_the_pairs_frozen_and_the_pairs_measured_are_the_same(measure, judged):
    measure()
    status, evidence = judged()
    assert (status, evidence.subject.dataset.sha256) == ("inconclusive", PAIRS.sha256)


def test_other_pairs_than_the_frozen_ones_void_the_study(measure, judged, claim, watch, monkeypatch):
    assert OTHERS.sha256 != PAIRS.sha256
    monkeypatch.setattr(datasets, "pairs_of", lambda *_: OTHERS)
    measure()
    status, evidence = judged()
    assert (status, evidence.subject.dataset.sha256) == ("void", OTHERS.sha256)
    assert "dataset_differs" in watch.history(claim)[-1].payload["hypotheses"][0].values()


@pytest.mark.parametrize("odd", range(4))
def test_one_shard_that_measured_other_pairs_is_enough(measure, judged, claim, ledger, odd):
    measure()
    with ledger.begin() as session:
        row = session.get_one(ShardRow, (f"{claim}-1", odd))
        row.facts = {**row.facts, "dataset_sha256": OTHERS.sha256}
    status, evidence = judged()
    assert (status, evidence.subject.dataset.sha256) == ("void", OTHERS.sha256)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("UPDATE blob_chunks SET data = data || '\n' WHERE sha256 = %s", "holds other bytes"),
        ("UPDATE blob_chunks SET data = '{}' WHERE sha256 = %s", "holds other bytes"),
        ("DELETE FROM blob_chunks WHERE sha256 = %s", "lacks its chunk 0"),
    ],
)
def test_a_damaged_dataset_voids_the_run_at_once(  # noqa: PLR0917 - fixtures
    model_worker, claim, postgres, watch, damage, says
):
    with postgres.superuser("runs_tests") as connection:
        connection.execute(damage, (PAIRS.sha256,))
    assert measure_shard(model_worker, f"{claim}-1", 0) is None
    assert watch.types(claim) == ["registered", "opened", "run_ended", "voided"]
    payload = watch.history(claim)[-1].payload
    assert payload["reason"] == "dataset_differs"
    assert (payload["figures"]["frozen"], payload["figures"]["measured"]) == (PAIRS.sha256, None)
    assert says in payload["figures"]["failure"]
    assert measure_shard(model_worker, f"{claim}-1", 1) is None
