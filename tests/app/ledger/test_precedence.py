"""Whether data was there before, under whatever name: what a filing is told, and what an audit makes of it."""

import pytest

from app.ledger.append import append
from app.ledger.audit import audit
from app.ledger.judging import record_evidence
from app.ledger.precedence import precedence_now
from app.ledger.runs import hold
from app.ledger.signing import load_or_create
from claims.canonical import canonical_bytes, sha256_hex
from claims.registration.model import Registration

HASH, OTHER = "a" * 64, "b" * 64
HUB = {"kind": "huggingface", "repo": "lab/reward", "revision": "a" * 40}
MIRROR = {"kind": "huggingface", "repo": "lab/mirror", "revision": "b" * 40}
LOCAL = {"kind": "local", "directory": "reward", "weights_sha256": HASH}
PAIRS, MORE = ({"kind": "pairs", "name": "P", "sha256": letter * 64, "dimensions": ["safety"]} for letter in "cd")


@pytest.fixture
def measured(put_claim, open_run, evidence):
    """`measured(session, model, dataset, sha256)`: a claim, and evidence that its weights had this hash."""

    def record(session, model, dataset, sha256):
        claim = put_claim(session, subject={"model": model, "dataset": dataset})
        open_run(session, claim)
        held = {"weights_sha256": sha256, "dtype": "float32", "device": "cpu", "attention": "eager"}
        found = evidence(0.6, 0.7, subject={"model": held, "dataset": {"sha256": dataset["sha256"], "n": 24}})
        record_evidence(session, hold(session, f"{claim}-1"), found, b"")

    return record


@pytest.fixture
def filed(document):
    """`filed(session, model, dataset)`: which precedence a claim would have that was filed now."""

    def now(session, model, dataset=PAIRS):
        made = {**document, "subject": {"model": model, "dataset": dataset}}
        return precedence_now(session, Registration.model_validate(made))

    return now


def test_what_was_measured_under_another_name_was_measured(ledger, measured, filed):
    with ledger.begin() as session:
        assert [filed(session, model) for model in (HUB, MIRROR, LOCAL)] == ["recorded"] * 3
        measured(session, HUB, PAIRS, HASH)
        assert [filed(session, model) for model in (HUB, MIRROR, LOCAL)] == ["post_hoc", "recorded", "post_hoc"]
        measured(session, MIRROR, MORE, HASH)
        assert filed(session, MIRROR) == "post_hoc"
        assert filed(session, HUB, MORE) == "post_hoc"
        assert filed(session, {**MIRROR, "revision": "c" * 40}) == "recorded"
        assert filed(session, {**LOCAL, "weights_sha256": OTHER}) == "recorded"


def test_a_directory_that_held_other_weights_says_of_those_alone(ledger, measured, filed):
    with ledger.begin() as session:
        measured(session, LOCAL, PAIRS, OTHER)
        assert filed(session, LOCAL) == "recorded"
        assert filed(session, {**LOCAL, "weights_sha256": OTHER}) == "post_hoc"


@pytest.mark.parametrize("stated", ["post_hoc", "recorded"])
def test_an_audit_knows_mirrors_too(ledger, measured, document, tmp_path, stated):
    with ledger.begin() as session:
        measured(session, HUB, PAIRS, HASH)
        measured(session, MIRROR, MORE, HASH)
        made = {**document, "title": "Foreseen", "subject": {"model": MIRROR, "dataset": PAIRS}}
        payload = {
            "registration": made, "document_sha256": sha256_hex(canonical_bytes(made)), "nonce_sha256": "0" * 64,
            "precedence": stated,
        }  # fmt: skip
        append(session, "registered", "claim00000000099", "ada", payload)
        found = audit(session, load_or_create(tmp_path / "signing.key", "tests").vkey, [])
    what = "its precedence is recorded, and by what was on the ledger then it is post_hoc"
    of_filing = [one.what for one in found.findings if one.where == f"entry {found.size - 1}"]
    assert [one for one in of_filing if "precedence" in one] == [what] * (stated == "recorded")
