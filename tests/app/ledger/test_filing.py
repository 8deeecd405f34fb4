"""Freezing, on the instrument that the example claims use."""

import base64
import hashlib
import json
import re
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from app.ledger import filing, log
from app.ledger.errors import AlreadyFiledError
from app.ledger.links import withdraw
from app.ledger.queries import get_claim, receipt
from app.ledger.signing import Signing
from app.ledger.tables import ClaimRow, EntryRow, Nonce, RunRow
from claims.canonical import canonical_bytes
from claims.flaws import RefusedInputError
from claims.instrument_source import source_sha256
from claims.receipts import check
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.signed_note import InvalidNoteError

EXAMPLE = Path(__file__).parents[3] / "examples" / "planted_key.yaml"
SIGNING = Signing("test", Ed25519PrivateKey.generate())


@pytest.fixture
def example():
    return read_yaml(EXAMPLE.read_bytes())


@pytest.fixture
def file(ledger):
    """`file(document, registrant="ada")`: file it in a transaction of its own."""

    def filed(document, registrant="ada"):
        frozen = freeze_document(document)
        with ledger.begin() as session:
            return filing.file(
                session, frozen, registrant, signing=SIGNING, public_url="http://127.0.0.1:8000/", model_root=None
            )

    return filed


def counted(ledger):
    tables = ("entries", "claims", "runs", "shards", "nonces", "receipts", "hypotheses")
    with ledger.begin() as session:
        return [session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in tables]


def test_a_filing_is_one_entry_with_everything_that_belongs_to_it(ledger, file, example):
    filed = file(example)
    organisms = example["sampling"]["organisms"]
    assert counted(ledger) == [1, 1, 1, organisms, 1, 1, len(example["hypotheses"])]
    assert re.fullmatch(r"[a-z0-9]{16}", filed.claim)
    with ledger.begin() as session:
        (entry,) = log.history(session, filed.claim)
        nonce = session.get_one(Nonce, filed.run).nonce
        assert session.get_one(RunRow, filed.run).status == "queued"
    payload = entry.payload
    assert set(payload) == {
        "registration",
        "document_sha256",
        "nonce_sha256",
        "service",
        "instrument",
        "precedence",
        "check",
    }
    assert entry.actor == "ada"
    assert canonical_bytes(payload["registration"]) == canonical_bytes(example)
    assert payload["document_sha256"] == hashlib.sha256(canonical_bytes(example)).hexdigest()
    assert payload["nonce_sha256"] == hashlib.sha256(nonce).hexdigest()
    assert set(payload["service"]) == {"commit", "dirty"}
    assert payload["instrument"] == {
        "name": "planted_key_recovery",
        "version": "1",
        "source_sha256": source_sha256("planted_key_recovery"),
        **payload["service"],
    }
    assert payload["precedence"] == payload["check"]["reachable"]["precedence"] == "committed"


def test_the_receipt_can_be_checked_with_the_logs_key_alone(ledger, file, example):
    filed = file(example)
    given = filed.receipt
    assert given["url"] == f"http://127.0.0.1:8000/claims/{filed.claim}"
    canonical = base64.b64decode(given["entry"]["canonical"])
    leaf = hashlib.sha256(b"\x00" + canonical)
    assert canonical == canonical_bytes(given["entry"]["object"])
    assert given["entry"]["leaf_hash"] == leaf.hexdigest()
    said = check(given["note"], given["vkey"])
    assert (said.claim, said.seq, said.leaf_hash) == (filed.claim, 0, leaf.digest())
    assert (said.origin, said.document_sha256) == ("antedate/test/receipt", given["document_sha256"])
    assert given["vkey"] == SIGNING.vkey
    with pytest.raises(InvalidNoteError):
        check(given["note"].replace(given["document_sha256"], "0" * 64), given["vkey"])
    with ledger.begin() as session:
        (row,) = session.execute(text("SELECT canonical FROM entries")).one()
        assert bytes(row) == canonical
        assert json.dumps(receipt(session, filed.claim)) == json.dumps(given)


def test_nothing_of_the_nonce_but_its_hash_is_told_before_opening(ledger, file, example):
    filed = file(example)
    with ledger.begin() as session:
        nonce = session.get_one(Nonce, filed.run).nonce.hex()
        told = json.dumps(filed.receipt) + str(session.get_one(ClaimRow, filed.claim).model_dump())
    assert nonce not in told


def test_the_same_document_is_filed_once(ledger, file, example):
    first = file(example)
    with pytest.raises(AlreadyFiledError) as refused:
        file(example, registrant="bob")
    assert refused.value.claim == first.claim
    assert counted(ledger)[:2] == [1, 1]


def test_of_the_same_document_filed_at_the_same_time_one_is(ledger, file, example):
    outcomes = []
    start = threading.Barrier(4)

    def work():
        start.wait()
        try:
            outcomes.append(file(example).claim)
        except AlreadyFiledError as refused:
            outcomes.append(AlreadyFiledError)
            outcomes.append(refused.claim)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(AlreadyFiledError) == 3
    assert len(set(outcomes) - {AlreadyFiledError}) == 1
    assert counted(ledger)[:3] == [1, 1, 1]


def test_documents_filed_at_the_same_time_are_all_filed(ledger, file, example):
    claims = []

    def work(number):
        claims.append(file({**example, "title": f"Claim {number}"}).claim)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(claims)) == 8
    with ledger.begin() as session:
        assert session.execute(text("SELECT array_agg(seq ORDER BY seq) FROM entries")).scalar_one() == list(range(8))


def test_a_refused_document_leaves_nothing(ledger, file, example):
    example["builds_on"] = ["nothing00000"]
    example["amends"] = {"claim": "nothing00001", "reason": "None."}
    with pytest.raises(RefusedInputError) as refused:
        file(example)
    assert [flaw.pointer for flaw in refused.value.flaws] == ["/builds_on/0", "/amends/claim"]
    assert counted(ledger) == [0] * 7


def test_an_amendment_supersedes_what_it_amends_in_the_same_transaction(ledger, file, example):
    old = file(example)
    new = file({**example, "title": "A larger sample", "amends": {"claim": old.claim, "reason": "Too small."}})
    with ledger.begin() as session:
        superseded = log.history(session, old.claim)[-1]
        assert (superseded.type, superseded.actor) == ("superseded", "ada")
        assert superseded.payload == {"by": new.claim, "reason": "Too small."}
        assert get_claim(session, old.claim).superseded_by == new.claim
        assert get_claim(session, new.claim).precedence == "committed"
    with pytest.raises(RefusedInputError, match="superseded already"):
        file({**example, "title": "Again", "amends": {"claim": old.claim, "reason": "Too small."}})


def test_amending_after_the_data_opened_is_post_hoc(ledger, file, example, open_run):
    old = file(example)
    with ledger.begin() as session:
        open_run(session, old.claim)
    new = file({**example, "title": "Another threshold", "amends": {"claim": old.claim, "reason": "I have seen it."}})
    assert new.receipt["precedence"] == "post_hoc"


def test_of_two_amendments_at_the_same_time_one_stands(ledger, file, example):
    old = file(example)
    outcomes = []
    start = threading.Barrier(3)

    def work(number):
        start.wait()
        try:
            file({**example, "title": f"Amendment {number}", "amends": {"claim": old.claim, "reason": "Better."}})
            outcomes.append("filed")
        except RefusedInputError:
            outcomes.append("refused")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["filed", "refused", "refused"]


def test_a_withdrawn_document_can_not_be_filed_anew(ledger, file, example):
    filed = file(example)
    with ledger.begin() as session:
        withdraw(session, filed.claim, "ada", "A mistake.")
    with pytest.raises(AlreadyFiledError):
        file(example)


def test_a_document_too_large_for_the_log_stands_beside_it(ledger, file, example):
    example["rationale"] = "r" * 20_000
    example["hypotheses"] += [
        {**example["hypotheses"][1], "id": f"S{number}", "statement": "s" * 2000} for number in range(30)
    ]
    filed = file(example)
    canonical = canonical_bytes(example)
    with ledger.begin() as session:
        (entry,) = log.history(session, filed.claim)
        expected = {"sha256": hashlib.sha256(canonical).hexdigest(), "size": len(canonical)}
        assert entry.payload["registration"] == expected
        assert session.get_one(ClaimRow, filed.claim).document == canonical
        assert session.get_one(EntryRow, 0).payload["document_sha256"] == expected["sha256"]
