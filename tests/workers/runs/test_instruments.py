"""The two real instruments on the ledger, from an example's filing to its verdict."""

import copy
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.ledger import blobs, datasets, filing, records
from app.ledger.opening import seeds_of
from app.ledger.queries import get_claim
from app.ledger.signing import Signing
from claims import rows
from claims.evidence import Evidence
from claims.flaws import RefusedInputError
from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.instruments.params import completed
from claims.instruments.planted_key_recovery import PARAMS
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from workers.finishing import finish_run
from workers.measuring import Worker, measure_shard

ROOT = Path(__file__).parents[3]
MODELS = ROOT / "tests" / "fixtures" / "models"


@pytest.fixture(autouse=True)
def own_source(coin, monkeypatch):
    """These instruments are where instruments are."""
    for module in ("app.ledger.filing", "workers.source"):
        monkeypatch.setattr(f"{module}.source_sha256", source_sha256)


@pytest.fixture
def measured(ledger, watch):
    """`measured(document)`: file it, measure every shard, judge; returns the claim's id."""
    worker = Worker(ledger, MODELS, timedelta(seconds=60))
    signing = Signing("test", Ed25519PrivateKey.generate())

    def run(document):
        frozen = freeze_document(document)
        with ledger.begin() as session:
            filed = filing.file(session, frozen, "ada", signing=signing, public_url="http://x", model_root=MODELS)
        done = [measure_shard(worker, filed.run, shard.index) for shard in watch.shards(filed.claim)]
        assert [shard.failure for shard in watch.shards(filed.claim)] == [None] * len(done)
        finish_run(ledger, filed.run)
        return filed.claim

    return run


@pytest.fixture
def found(ledger):
    """`found(claim)`: its evidence and its rows."""

    def read(claim):
        with ledger.begin() as session:
            evidence = records.evidence_of(session, claim)
            measured = rows.decode(blobs.read(session, evidence.rows_sha256))
            return Evidence.model_validate(evidence.body), list(measured)

    return read


def example(name):
    return copy.deepcopy(read_yaml((ROOT / "examples" / f"{name}.yaml").read_bytes()))


def test_a_planted_key_is_measured_from_seeds_that_nobody_knew(measured, found, watch, ledger):
    document = example("planted_key")
    document["subject"]["model"]["params"] |= {"layers": 4, "hidden": 16, "steps": 5, "min_accuracy": 0.5}
    fewest = catalogue()["planted_key_recovery"].MANIFEST.fewest("student_t", "patching_recovery_auc_constructed")
    document["sampling"] |= {"organisms": fewest, "pairs_per_organism": 4}
    (of_an_auroc,) = [one for one in document["hypotheses"] if one["metric"] == "patching_recovery_auc_constructed"]
    document["hypotheses"] = [of_an_auroc | {"primary": True}]  # a gap would need more organisms
    document["kill_criteria"], document["controls"] = [], {}
    document["instrument"]["params"] = {"key_size": 2}
    claim = measured(document)
    assert watch.types(claim) == ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]
    evidence, measured_rows = found(claim)
    assert {row["organism"] for row in measured_rows} == set(range(fewest))
    assert evidence.params == completed(PARAMS, {"key_size": 2})
    assert evidence.counts["organisms"] == fewest
    assert evidence.subject.model.weights_sha256 is None
    assert evidence.provenance.instrument_source_sha256 == source_sha256("planted_key_recovery")
    assert evidence.cost["forwards"] > 0
    registration = freeze_document(document).registration
    with ledger.begin() as session:
        seeds = seeds_of(session, claim, f"{claim}-1")
    again = catalogue()["planted_key_recovery"].estimate(measured_rows, registration, seeds)
    assert again.estimates == evidence.estimates
    with ledger.begin() as session:
        assert get_claim(session, claim).status in {"confirmed", "refuted", "inconclusive", "void"}


def test_agreement_is_measured_on_an_uploaded_dataset_and_a_model_under_the_root(measured, found, watch, ledger):
    pairs = read_pairs((MODELS / "llama-gqa" / "pairs.jsonl").read_bytes())
    with ledger.begin() as session:
        datasets.upload(session, pairs, "llama-gqa", "ada")
    document = example("agreement")
    claim = measured(document)
    assert watch.types(claim)[-1] == "adjudicated"
    evidence, measured_rows = found(claim)
    assert evidence.subject.model.weights_sha256 == document["subject"]["model"]["weights_sha256"]
    assert (evidence.subject.dataset.sha256, evidence.subject.dataset.n) == (pairs.sha256, len(pairs.rows))
    assert {row["pair_id"] for row in measured_rows} == {pair.id for pair in pairs.rows}
    assert evidence.conformance
    later = copy.deepcopy(document)
    later["title"] = "The same again, its parameters left to their defaults"
    later["instrument"]["params"] = {}
    claim = measured(later)
    assert found(claim)[0].params == evidence.params == document["instrument"]["params"]
    with ledger.begin() as session:
        summary = get_claim(session, claim)
    assert (summary.precedence, summary.status) == ("post_hoc", "inconclusive")


def test_what_the_service_does_not_have_is_refused_before_freezing(measured, watch):
    with pytest.raises(RefusedInputError) as refused:
        measured(example("agreement"))
    assert [flaw.pointer for flaw in refused.value.flaws] == ["/subject/dataset/sha256"]
