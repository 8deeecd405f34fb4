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


def upload(service, rows, name="pairs", key=None, dimension=None, **headers):
    body = rows if isinstance(rows, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    params = {"name": name, **({} if dimension is None else {"dimension": dimension})}
    sent = {"Content-Type": "application/jsonl", "Authorization": f"Bearer {key or service.ada}", **headers}
    return service.client.post("/v1/datasets", params=params, content=body, headers=sent)


def test_a_dataset_is_known_by_its_content(service, client):
    rows = [pair(number, cluster="c" if number < 2 else f"d{number}") for number in range(4)]
    rows.append(pair(4, dimension="honesty"))
    answer = upload(service, rows, "First name")
    dataset = answer.json()
    assert answer.status_code == 201
    assert (dataset["pairs"], dataset["dimensions"], dataset["clusters"]) == (5, {"honesty": 1, "safety": 4}, 4)
    assert answer.headers["Location"] == dataset["url"] == f"/v1/datasets/{dataset['sha256']}"
    assert {**client.get(dataset["url"]).json(), "near_duplicates": dataset["near_duplicates"]} == dataset
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


ASKED = [{"role": "user", "content": "What is the melting point of gallium?"}]
EXPORT = {side: [*ASKED, {"role": "assistant", "content": side}] for side in ("chosen", "rejected")}


def test_an_export_is_the_pair_that_it_means(service, problem_of):
    before = service.entries()
    (flaw,) = problem_of(upload(service, [EXPORT]), 422, "invalid_pairs")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/1", "no_dimension")
    assert "dimension=" in flaw["remedy"]
    assert service.entries() == before
    answer = upload(service, [EXPORT], dimension="factuality")
    assert (answer.status_code, answer.json()["dimensions"]) == (201, {"factuality": 1})
    own = {"id": "g", "dimension": "factuality", "prompt": ASKED, "chosen": "chosen", "rejected": "rejected"}
    first, second = upload(service, [own]), upload(service, [{**EXPORT, "id": "g"}], dimension="factuality")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["sha256"] == second.json()["sha256"] != answer.json()["sha256"]


def test_a_row_that_names_a_dimension_keeps_it(service):
    rows = [{**EXPORT, "dimension": "safety"}, {**EXPORT, "id": "x"}]
    assert upload(service, rows, dimension="factuality").json()["dimensions"] == {"factuality": 1, "safety": 1}


@pytest.mark.parametrize("dimension", ["", "two words", "a.b", "x" * 65])
def test_a_dimension_has_its_form(service, problem_of, dimension):
    (flaw,) = problem_of(upload(service, [EXPORT], dimension=dimension), 422, "invalid_query")["errors"]
    assert flaw["pointer"] == "/dimension"
    assert flaw["remedy"]


def test_pairs_that_say_nearly_the_same_are_told_and_taken(service):
    text = "The first {0} that was sold in the town cost more than a horse, and nobody could say what it was for."
    things = ("kite", "clock", "piano", "lamp", "stove", "press", "scale")
    rows = [
        pair(f"{thing}{copy}", prompt=text.format(thing), chosen=f"yes {thing}", rejected=f"no {thing}")
        for thing in things
        for copy in range(2)
    ]
    alone = [
        pair(number, prompt=f"{number} {number + 1}", chosen=f"a {number}", rejected=f"b {number}") for number in (1, 9)
    ]
    found = upload(service, rows + alone).json()["near_duplicates"]
    assert found == {"groups": 1, "pairs": 14, "first": [["pclock0", "pclock1", "pkite0", "pkite1", "plamp0"]]}
    again = upload(service, rows + alone)
    assert (again.status_code, again.json()["near_duplicates"]) == (200, found)
    assert upload(service, alone).json()["near_duplicates"] == {"groups": 0, "pairs": 0, "first": []}


def test_what_would_take_too_long_is_not_looked_for(service, monkeypatch):
    from app.api import datasets

    monkeypatch.setattr(datasets, "MOST_OVERLAPS", 1)
    rows = [pair(number, prompt="The same long question, asked again and again?") for number in range(5)]
    answer = upload(service, rows)
    assert (answer.status_code, answer.json()["near_duplicates"]) == (201, None)
