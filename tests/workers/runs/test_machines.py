"""The machine that measured is in the log, so that measuring twice on it is no independent reproduction."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.ledger.reproducing import reproduce
from app.ledger.signing import Signing
from workers import source
from workers.finishing import finish_run
from workers.measuring import measure_shard

COINS = 8


@pytest.fixture
def measured(worker):
    def measure(claim):
        for index in range(COINS):
            measure_shard(worker, f"{claim}-1", index)
        assert finish_run(worker.ledger, f"{claim}-1")

    return measure


@pytest.fixture
def pair(worker, file_claim):
    """A claim and its reproduction by somebody else."""
    original = file_claim(COINS)
    place = {"signing": Signing("test", Ed25519PrivateKey.generate()), "public_url": "http://x", "model_root": None}
    with worker.ledger.begin() as session:
        return original, reproduce(session, original, "bob", **place).claim


def payload(watch, claim, type_):
    (entry,) = [entry for entry in watch.history(claim) if entry.type == type_]
    return entry.payload


def test_the_same_machine_makes_a_rerun(watch, measured, pair):
    original, other = pair
    measured(original)
    measured(other)
    assert payload(watch, original, "run_ended")["machines"] == [source.machine()]
    assert payload(watch, original, "reproduced")["kind"] == "rerun"


def test_another_machine_makes_a_reproduction(watch, measured, pair, monkeypatch):
    original, other = pair
    measured(original)
    monkeypatch.setattr(source, "machine", lambda: "ab" * 32)
    measured(other)
    said = payload(watch, original, "reproduced")
    assert (said["kind"], said["by"], said["agrees"]) == ("reproduction", other, True)


def test_a_run_of_which_one_machine_is_unknown_names_none(watch, measured, pair, monkeypatch):
    names = iter([None, *(["ab" * 32] * COINS)])
    monkeypatch.setattr(source, "machine", lambda: next(names))
    measured(pair[0])
    assert payload(watch, pair[0], "run_ended")["machines"] == []
