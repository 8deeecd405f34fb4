"""What a second measurement of some cells finds, from the worker to the verdict."""

from types import SimpleNamespace

import pytest

from app.ledger import blobs, queries, records
from claims.instruments import catalogue
from claims.nondeterminism import nondeterminism
from claims.rows import decode
from claims.seeds import seeds_of
from workers.finishing import finish_run
from workers.measuring import measure_shard

SEEDS = seeds_of(bytes(32), "0" * 64)


@pytest.fixture
def judged(worker, file_claim, watch):
    """`judged(**params)`: what the ledger says of a claim about eight coins, measured and judged."""

    def of(**params):
        claim = file_claim(title=f"Coins {params}", **params)
        for shard in watch.shards(claim):
            assert measure_shard(worker, shard.run, shard.index) == shard.run
        assert finish_run(worker.ledger, f"{claim}-1")
        (adjudicated,) = [entry.payload for entry in watch.history(claim) if entry.type == "adjudicated"]
        with worker.ledger.begin() as session:
            body = records.evidence_of(session, claim).body
            registration = queries.get_claim(session, claim)
        return SimpleNamespace(
            claim=registration, status=adjudicated["status"], hypothesis=adjudicated["hypotheses"][0], evidence=body
        )

    return of


def test_noise_that_could_undo_a_decision_voids_the_claim(judged):
    found = judged(noise=-0.95)
    lo = found.evidence["estimates"]["heads"]["lo"]
    assert lo > 0.01  # confirmed, were it not for the noise
    assert lo - found.evidence["nondeterminism"]["band.heads"] < 0.01
    assert (found.status, found.hypothesis["void_reason"]) == ("void", "nondeterminism")


def test_noise_that_could_not_leaves_the_decision(judged):
    found = judged(noise=-0.0001)
    assert found.evidence["nondeterminism"]["band.heads"] == pytest.approx(0.0001)
    assert found.evidence["nondeterminism"]["largest_difference.organism"] == pytest.approx(0.0001)
    assert (found.evidence["nondeterminism"]["share"], found.evidence["nondeterminism"]["cells"]) == (1, 8)
    assert found.status == "confirmed"


def test_an_instrument_that_measures_nothing_twice_says_nothing_of_it(judged):
    found = judged()
    assert (found.evidence["nondeterminism"], found.status) == ({}, "confirmed")


def test_the_second_rows_are_kept_so_that_anyone_can_recompute_the_band(judged, ledger):
    evidence = judged(noise=0.01).evidence
    (name,) = [key for key in evidence["nondeterminism"] if key.startswith("again_sha256.")]
    with ledger.begin() as session:
        rows, again = (
            list(decode(blobs.read(session, sha256)))
            for sha256 in (evidence["rows_sha256"], name.removeprefix("again_sha256."))
        )
    assert len(again) == evidence["nondeterminism"][name] == 8
    registration = SimpleNamespace(level=0.95, instrument=SimpleNamespace(params={}))

    def estimate(rows):
        return catalogue()["coin_toss"].estimate(rows, registration, SEEDS)

    found = nondeterminism(estimate(rows), rows, again, estimate)
    assert found == {key: value for key, value in evidence["nondeterminism"].items() if key != name}
