"""Filing: receipts, repetition, and the queue behind it."""

import base64
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi.testclient import TestClient
from redis import Redis

from app.main import create_app
from claims import receipts
from claims.canonical import canonical_bytes
from claims.entries import Entry, leaf_hash


def filed(service, document, **headers):
    answer = service.file(json.dumps(document).encode(), **headers)
    assert answer.status_code == 201, answer.text
    return answer


def test_a_receipt_proves_what_was_frozen(service, client, document):
    sent = document()
    answer = filed(service, sent)
    receipt = answer.json()
    assert answer.headers["Location"] == f"/v1/claims/{receipt['claim']}"
    assert receipt["url"] == f"http://testserver/claims/{receipt['claim']}"
    assert receipt["document_sha256"] == hashlib.sha256(canonical_bytes(sent)).hexdigest()
    canonical = base64.b64decode(receipt["entry"]["canonical"])
    assert Entry.from_object(receipt["entry"]["object"]).canonical() == canonical
    assert leaf_hash(canonical).hex() == receipt["entry"]["leaf_hash"]
    key = client.get("/v1/log/key")
    assert key.headers["Content-Type"].startswith("text/plain")
    checked = receipts.check(receipt["note"], key.text.strip())
    assert (checked.claim, checked.document_sha256) == (receipt["claim"], receipt["document_sha256"])
    assert checked.leaf_hash.hex() == receipt["entry"]["leaf_hash"]


def test_the_same_document_is_a_conflict_for_anyone_in_any_spelling(service, document, problem_of):
    sent = document()
    first = filed(service, sent).json()
    before = service.entries()
    for body in (json.dumps(sent), json.dumps(dict(reversed(sent.items())), indent=2)):
        answer = service.file(body.encode(), service.bob)
        problem = problem_of(answer, 409, "already_filed")
        assert problem["claim"] == first["claim"]
        assert problem["url"] == first["url"]
        assert answer.headers["Location"] == f"/v1/claims/{first['claim']}"
    assert service.entries() == before


def test_an_idempotency_key_gets_the_first_answer_again(service, document, problem_of):
    sent, key = document(), {"Idempotency-Key": "once"}
    first = filed(service, sent, **key)
    before = service.entries()
    again = service.file(json.dumps(sent).encode(), **key)
    assert (again.status_code, again.json(), again.headers["Location"]) == (
        201,
        first.json(),
        first.headers["Location"],
    )
    spaced = service.file(json.dumps(sent).encode(), **{"Idempotency-Key": " once\t"})
    assert (spaced.status_code, spaced.json()) == (201, first.json())
    problem_of(service.file(json.dumps(document()).encode(), **key), 422, "idempotency_key_reused")
    assert service.entries() == before
    # Another registrant's keys are their own.
    assert service.file(json.dumps(document()).encode(), service.bob, **key).status_code == 201


@pytest.mark.parametrize("key", ["", " ", "a b", "k" * 256, "schlüssel"])
def test_an_idempotency_key_has_a_form(service, document, problem_of, key):
    headers = {"Idempotency-Key": key.encode()}
    problem_of(service.file(json.dumps(document()).encode(), **headers), 400, "bad_request")


def test_a_refused_request_does_not_use_its_idempotency_key_up(service, document):
    key = {"Idempotency-Key": "later"}
    assert service.file(b"{}", **key).status_code == 422
    filed(service, document(), **key)


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "race"}])
def test_one_document_filed_at_the_same_time_is_one_claim(service, document, key):
    body = json.dumps(document()).encode()
    before = service.claims()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: service.file(body, **key), range(8)))
    assert service.claims() == before + 1
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == ([201] * 8 if key else [201] + [409] * 7)
    assert len({answer.json()["claim"] for answer in answers}) == 1


def test_different_documents_filed_at_the_same_time_are_all_filed(service, document):
    bodies = [json.dumps(document()).encode() for _ in range(12)]
    before = service.claims()
    with ThreadPoolExecutor(6) as pool:
        assert {answer.status_code for answer in pool.map(service.file, bodies)} == {201}
    assert service.claims() == before + 12


def test_the_workers_are_told(service, document):
    queue = Redis.from_url(service.settings.redis_url)
    queue.delete("cpu")
    claim = filed(service, document()).json()["claim"]
    runs = service.client.get(f"/v1/claims/{claim}/runs").json()["items"]
    messages = [json.loads(message) for message in queue.lrange("cpu", 0, -1)]
    told = [json.loads(base64.b64decode(message["body"]))[0] for message in messages]
    assert sorted(told) == [[runs[0]["id"], index] for index in range(runs[0]["shards_total"])]
    assert {message["headers"]["task"] for message in messages} == {"workers.measure_shard"}
    queue.close()


def test_a_broker_that_is_down_does_not_fail_a_filing(settings, service, document):
    app = create_app(settings.model_copy(update={"redis_url": "redis://127.0.0.1:1/0"}))
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {service.ada}"}
    answer = TestClient(app).post("/v1/predictions", content=json.dumps(document()).encode(), headers=headers)
    assert answer.status_code == 201
    app.state.ledger.dispose()


def test_the_document_is_stored_as_its_canonical_bytes(service, client, document):
    sent = document()
    claim = filed(service, sent).json()["claim"]
    found = client.get(f"/v1/claims/{claim}").json()
    assert found["registration"] == sent
    assert found["status"] == "registered"
    assert found["precedence"] == "committed"
    assert found["document_sha256"] == hashlib.sha256(canonical_bytes(found["registration"])).hexdigest()
