"""The log over HTTP, checked the way a stranger would: from the answers alone, with the key pinned beforehand."""

import base64
import json

import pytest

from app.ledger import checkpoints
from claims import checkpoint, merkle
from claims.entries import Entry, leaf_hash


@pytest.fixture
def sign(service):
    """`sign()`: the clock's process has signed the head of the log; the checkpoint."""

    def signed():
        with service.ledger.begin() as session:
            return checkpoints.issue(session, service.client.app.state.signing)

    return signed


@pytest.fixture
def key(client):
    return client.get("/v1/log/key").text.strip()


@pytest.fixture
def signed(file_claim, sign):
    """A log with an entry at least, and its head signed."""
    file_claim()
    return sign()


def every_entry(client):
    """The whole log, part by part as the answers lead on."""
    found, query = [], "limit=7"
    while query is not None:
        answer = client.get(f"/v1/log/entries?{query}").json()
        found += answer["items"]
        query = answer["next"] and f"limit=7&cursor={answer['next']}"
    return found


def test_the_head_is_that_of_the_entries_served(client, key, file_claim, sign):
    for _ in range(3):
        file_claim()
    sign()
    head = checkpoint.verify(client.get("/v1/log/checkpoint").text, key)
    entries = every_entry(client)
    assert [entry["seq"] for entry in entries] == list(range(len(entries)))
    leaves = [
        leaf_hash(Entry.from_object({k: v for k, v in e.items() if k != "leaf_hash"}).canonical()) for e in entries
    ]
    assert [leaf.hex() for leaf in leaves] == [entry["leaf_hash"] for entry in entries]
    assert (head.origin, head.size) == ("antedate/local", len(entries))
    assert head.root == merkle.root_of(leaves)


def test_a_claims_entries_are_proven_in_the_newest_head(client, key, file_claim, judge_claim, sign):
    claim = file_claim()
    judge_claim(claim, 0.4)
    sign()
    answer = client.get(f"/v1/claims/{claim}/proof").json()
    head = checkpoint.verify(answer["checkpoint"], key)
    assert (head.size, head.root.hex(), answer["vkey"]) == (answer["size"], answer["root"], key)
    kinds = []
    for entry in answer["entries"]:
        canonical = base64.b64decode(entry["canonical"])
        kinds.append(json.loads(canonical)["type"])
        proof = [bytes.fromhex(hash_) for hash_ in entry["proof"]]
        assert merkle.verify_inclusion(leaf_hash(canonical), entry["index"], head.size, proof, head.root)
    assert kinds == ["registered", "opened", "run_ended", "evidence_recorded", "adjudicated"]


def test_an_earlier_head_is_proven_to_be_continued(client, key, file_claim, sign):
    file_claim()
    sign()
    old = checkpoint.verify(client.get("/v1/log/checkpoint").text, key)
    for _ in range(4):
        file_claim()
    sign()
    new = checkpoint.verify(client.get("/v1/log/checkpoint").text, key)
    answer = client.get(f"/v1/log/proof?first={old.size}&size={new.size}").json()
    proof = [bytes.fromhex(hash_) for hash_ in answer["proof"]]
    assert merkle.verify_consistency(old.size, new.size, old.root, new.root, proof)
    assert client.get(f"/v1/log/checkpoint?size={old.size}").text.startswith(checkpoint.body(old))


def test_an_entry_is_proven_by_its_number(client, key, file_claim, sign):
    file_claim()
    head = sign()
    answer = client.get("/v1/log/proof?index=0").json()
    assert set(answer) == {"index", "leaf_hash", "size", "root", "proof"}
    proof = [bytes.fromhex(hash_) for hash_ in answer["proof"]]
    assert merkle.verify_inclusion(bytes.fromhex(answer["leaf_hash"]), 0, head.size, proof, head.root)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "Give one of"),
        ("index=0&first=1", "Give one of"),
        ("index=0&size=99999", "entries, not 99999"),
        ("first=99999", "99999"),
        ("index=-1", ""),
        ("first=0", ""),
        ("index=0&size=x", ""),
        ("index=99999999999999999999", ""),
    ],
)
def test_a_proof_of_nothing_is_refused_in_words(client, problem_of, signed, query, said):
    problem = problem_of(client.get(f"/v1/log/proof?{query}"), 422, "invalid_query")
    assert said in problem["detail"]


def test_a_head_that_was_never_signed_is_not_there(client, problem_of, file_claim, sign):
    file_claim()
    head = sign()
    problem_of(client.get(f"/v1/log/checkpoint?size={head.size + 1}"), 404, "not_found")
    problem_of(client.get("/v1/claims/zzzzzzzzzzzz/proof"), 404, "not_found")
    for cursor in ("x", "-1", "9" * 19, "9" * 5000):
        problem_of(client.get(f"/v1/log/entries?cursor={cursor}"), 422, "invalid_query")


def test_a_claim_newer_than_the_head_has_no_proof_yet(client, file_claim, sign):
    file_claim()
    sign()
    claim = file_claim()
    answer = client.get(f"/v1/claims/{claim}/proof").json()
    assert answer["entries"] == []
