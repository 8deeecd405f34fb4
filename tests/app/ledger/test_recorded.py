"""How much a metric varies, read off the evidence on the ledger."""

from dataclasses import replace

import pytest

from app.ledger.judging import record_evidence
from app.ledger.recorded import LATEST, recorded_spread
from app.ledger.runs import hold
from claims.instruments import planted_key_recovery
from claims.instruments.manifest import Metric
from claims.power.recorded import sd_of
from claims.registration.model import Registration

HEADS = Metric("heads", "how often it lands on heads", low=0, high=1)
HASH = "a" * 64
TINY = {"kind": "tiny", "seed": 7}
LOCAL = {"kind": "local", "directory": "reward", "weights_sha256": HASH}
HUB = {"kind": "huggingface", "repo": "lab/reward", "revision": "a" * 40}
PAIRS = {"kind": "pairs", "name": "P", "sha256": "c" * 64, "dimensions": ["safety"]}
MANIFEST = replace(planted_key_recovery.MANIFEST, metrics=(HEADS,))


@pytest.fixture
def measured(put_claim, open_run, evidence):
    """`measured(session, half_width, **parts)`: a claim whose interval was that wide."""

    def found(session, half, *, version="1", sha256=None, **parts):
        claim = put_claim(session, **parts)
        open_run(session, claim)
        body = {"version": version}
        if sha256 is not None:
            held = {"weights_sha256": sha256, "dtype": "float32", "device": "cpu", "attention": "eager"}
            body["subject"] = {"model": held, "dataset": {"sha256": parts["subject"]["dataset"]["sha256"], "n": 24}}
        record_evidence(session, hold(session, f"{claim}-1"), evidence(0.5 - half, 0.5 + half, **body), b"")
        return claim

    return found


@pytest.fixture
def spread(ledger, document):
    def of(session):
        return recorded_spread(session, Registration.model_validate(document), MANIFEST).get("heads")

    return of


def test_without_evidence_nothing_is_recorded(ledger, spread, put_claim):
    with ledger.begin() as session:
        put_claim(session)
        assert spread(session) is None


def test_the_median_of_the_latest_claims_on_this_subject_stands(ledger, spread, measured, evidence):
    with ledger.begin() as session:
        claims = [measured(session, half) for half in (0.4, 0.1, 0.05, 0.2, 0.3, 0.1)]
        found = spread(session)
        assert found.same_subject
        assert list(found.claims) == claims[: -LATEST - 1 : -1]
        assert found.sd == pytest.approx(sd_of(evidence(0.4, 0.6).estimates["heads"], HEADS))


def test_other_subjects_count_where_this_one_was_never_measured(ledger, spread, measured, document):
    other = {**document["subject"], "model": {**document["subject"]["model"], "recipe": "another"}}
    with ledger.begin() as session:
        claim = measured(session, 0.2, subject=other)
        assert not spread(session).same_subject
        assert list(spread(session).claims) == [claim]
        own = measured(session, 0.1)
        assert spread(session).same_subject
        assert list(spread(session).claims) == [own]


@pytest.mark.parametrize("model", [TINY, LOCAL, HUB], ids=lambda model: model["kind"])
def test_evidence_of_the_same_weights_is_of_this_subject(ledger, document, measured, model):
    """Which name evidence has: what was measured is known by the hash of its weights."""
    subject = {"model": model, "dataset": PAIRS}
    with ledger.begin() as session:
        measured(session, 0.2, subject={**subject, "model": {"kind": "tiny", "seed": 8}}, sha256="e" * 64)
        own = measured(session, 0.1, subject=subject, sha256=HASH)
        asked = Registration.model_validate({**document, "subject": subject})
        found = recorded_spread(session, asked, MANIFEST)["heads"]
    assert found.same_subject
    assert list(found.claims) == [own]


def test_another_version_of_the_instrument_does_not_count(ledger, spread, measured):
    with ledger.begin() as session:
        measured(session, 0.2, version="2")
        assert spread(session) is None
