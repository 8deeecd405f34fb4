"""Uploading preference pairs."""

import json

import pytest


def pair(number, **parts):
    row = {
        "id": f"p{number}",
        "dimension": "safety",
        "prompt": "Why?",
        "chosen": f"Because {number}.",
        "rejected": "No.",
    }
    return {**row, **parts}


def upload(service, rows, name="pairs", key=None, **headers):
    body = rows if isinstance(rows, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    sent = {"Content-Type": "application/jsonl", "Authorization": f"Bearer {key or service.ada}", **headers}
    return service.client.post("/v1/datasets", params={"name": name}, content=body, headers=sent)


def test_a_dataset_is_known_by_its_content(service, client):
    rows = [pair(number, cluster="c" if number < 2 else f"d{number}") for number in range(4)]
    rows.append(pair(4, dimension="honesty"))
    answer = upload(service, rows, "First name")
    dataset = answer.json()
    assert answer.status_code == 201
    assert (dataset["pairs"], dataset["dimensions"], dataset["clusters"]) == (5, {"honesty": 1, "safety": 4}, 4)
    assert answer.headers["Location"] == dataset["url"] == f"/v1/datasets/{dataset['sha256']}"
    assert client.get(dataset["url"]).json() == dataset
    before = service.entries()
    other_order = [dict(reversed(row.items())) for row in reversed(rows)]
    again = upload(service, other_order, "Another name", service.bob, **{"Content-Type": "application/x-ndjson"})
    assert (again.status_code, again.json()) == (200, dataset)
    assert service.entries() == before


def test_datasets_are_listed_newest_first(service, client):
    hashes = [upload(service, [pair(number, prompt=f"List {number}?")]).json()["sha256"] for number in range(3)]
    first = client.get("/v1/datasets?limit=2").json()
    assert [dataset["sha256"] for dataset in first["items"]] == hashes[:0:-1]
    second = client.get(f"/v1/datasets?limit=1&cursor={first['next']}").json()
    assert [dataset["sha256"] for dataset in second["items"]] == hashes[:1]


@pytest.mark.parametrize("name", ["", "  ", " a", "a ", "\u3000", "x" * 201, "a\u202eb", "Cafe\u0301"])
def test_a_name_is_plain_text(service, problem_of, name):
    before = service.entries()
    (flaw,) = problem_of(upload(service, [pair(1)], name), 422, "invalid_query")["errors"]
    assert flaw["pointer"] == "/name"
    assert flaw["remedy"]
    assert "leave it out" not in flaw["remedy"]
    assert service.entries() == before


def test_a_name_is_needed(service, problem_of):
    headers = {"Content-Type": "application/jsonl", "Authorization": f"Bearer {service.ada}"}
    answer = service.client.post("/v1/datasets", content=b"", headers=headers)
    (flaw,) = problem_of(answer, 422, "invalid_query")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/name", "missing_parameter")
    assert "leave it out" not in flaw["remedy"]


@pytest.mark.parametrize("body", [b"", b"\n", b"null\n", b'{"id": 1}\n', b"\xff\n", b'{"a":NaN}\n'])
def test_a_dataset_that_is_none(service, problem_of, body):
    before = service.entries()
    problem_of(upload(service, body), 422, "invalid_pairs")
    assert service.entries() == before


def test_json_is_not_jsonl(service, problem_of):
    problem_of(upload(service, [pair(1)], **{"Content-Type": "application/json"}), 415, "wrong_media_type")


def test_the_limit_is_stated(service, problem_of):
    answer = upload(service, b"", **{"Content-Length": str(64 * 1024 * 1024 + 1)})
    assert problem_of(answer, 413, "body_too_large")["limit"] == 64 * 1024 * 1024
