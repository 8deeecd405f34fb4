"""Imported records over HTTP: taken strictly, listed apart, and never a claim."""

import copy
import hashlib
import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims.canonical import canonical_bytes
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples" / "imports"
NUMBERS = itertools.count(1)
RELAXED = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def published():
    return {name: read_yaml((EXAMPLES / f"{name}.yaml").read_bytes()) for name in ("planted_key", "mean_spearman")}


@pytest.fixture
def record(published):
    """`record(**parts)`: the planted-key record with these parts replaced, and a title that no other has."""

    def made(**parts):
        return {**copy.deepcopy(published["planted_key"]), "title": f"Record {next(NUMBERS)}", **parts}

    return made


@pytest.fixture
def put(service):
    """`put(document, key=None, **headers)`: the answer to importing it."""

    def sent(document, key=None, **headers):
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        all_headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key or service.ada}", **headers}
        return service.client.post("/v1/imports", content=body, headers=all_headers)

    return sent


@pytest.fixture
def imported(put):
    def made(document, key=None, **headers):
        answer = put(document, key, **headers)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return made


def test_a_record_is_answered_as_it_was_published(put, client, record):
    sent = record()
    answer = put(sent)
    found = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == found["url"] == f"/v1/imports/{found['id']}"
    assert (found["precedence"], found["outcome"], found["registrant"]) == ("attested", "refuted", "ada")
    assert found["code"]["label"] == "f93f4b5578c221d3d2665f9b305f3e86759be862+dirty"
    assert found["frozen_before_data"] is True
    gap = next(figure for figure in found["figures"] if figure["metric"] == "recovery_gap")
    assert (gap["lo"], gap["value"], gap["hi"]) == (-0.7735849056603774, -0.5660377358490566, -0.4276729559748428)
    assert found["record"] == sent
    assert found["document_sha256"] == hashlib.sha256(canonical_bytes(sent)).hexdigest()
    assert client.get(found["url"]).json() == found


def test_both_values_the_tolerance_and_the_cause_are_answered(imported, published):
    found = imported({**published["mean_spearman"], "title": "Both values"})
    mean = found["figures"][0]
    assert (mean["value"], mean["tolerance"], mean["superseded"][0]["value"]) == (-0.171, 0.01, -0.256)
    assert "its own fixtures" in mean["superseded"][0]["cause"]
    assert found["code"] == {"commit": None, "dirty": "unknown", "label": None}


def test_it_is_logged_once_and_is_no_claim(service, client, imported, record):
    claims, entries, listed = service.claims(), service.entries(), client.get("/v1/claims").json()
    found = imported(record(title="Zebrafish of the attested kind"))
    assert (service.claims(), service.entries()) == (claims, entries + 1)
    assert found["seq"] == entries
    assert client.get("/v1/claims").json() == listed
    for filters in ("precedence=attested", "q=zebrafish", "refuted_or_superseded=true&q=zebrafish"):
        assert client.get(f"/v1/claims?{filters}").json()["items"] == []


@pytest.mark.parametrize("rest", ["", "/history"])
def test_its_name_is_no_claims(client, imported, record, problem_of, rest):
    found = imported(record())
    problem = problem_of(client.get(f"/v1/claims/{found['id']}{rest}"), 404, "not_found")
    assert "imported record" in problem["detail"]
    assert found["url"] in problem["remedy"]
    assert "imported" not in problem_of(client.get("/v1/claims/nothere00000"), 404, "not_found")["detail"]


def test_what_is_for_claims_is_not_for_records(service, file_claim, imported, record, problem_of):
    client, name, headers = service.client, imported(record())["id"], {"Authorization": f"Bearer {service.ada}"}
    problem_of(client.get(f"/v1/claims/{name}/evidence"), 404, "not_found")
    problem_of(client.get(f"/v1/claims/{name}/runs"), 404, "not_found")
    withdrawal = client.post(f"/v1/claims/{name}/withdraw", json={"reason": "x"}, headers=headers)
    problem_of(withdrawal, 404, "not_found")
    link = {"by": name, "reason": "x"}
    answer = client.post(f"/v1/claims/{file_claim()}/supersede", json=link, headers=headers)
    assert [flaw["code"] for flaw in problem_of(answer, 422, "invalid_link")["errors"]] == ["unknown_claim"]


def test_the_same_record_is_a_conflict_for_anyone_in_any_spelling(service, put, imported, record, problem_of):
    sent = record()
    first, before = imported(sent), service.entries()
    for body in (json.dumps(sent), json.dumps(dict(reversed(sent.items())), indent=2)):
        answer = put(body.encode(), service.bob)
        problem = problem_of(answer, 409, "already_imported")
        assert (problem["record"], problem["url"]) == (first["id"], f"http://testserver{first['page']}")
        assert answer.headers["Location"] == first["url"]
    assert service.entries() == before


def test_an_idempotency_key_gets_the_first_answer_again(service, put, imported, record, problem_of):
    sent, key = record(), {"Idempotency-Key": "import-once"}
    first, before = imported(sent, **key), service.entries()
    again = put(sent, **key)
    assert (again.status_code, again.json(), again.headers["Location"]) == (201, first, first["url"])
    problem_of(put(record(), **key), 422, "idempotency_key_reused")
    problem_of(put(record(), **{"Idempotency-Key": "a b"}), 400, "bad_request")
    assert service.entries() == before


@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "race-import"}])
def test_one_record_imported_at_the_same_time_is_one_record(service, put, record, key):
    body, before = json.dumps(record()).encode(), service.entries()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: put(body, **key), range(8)))
    assert service.entries() == before + 1
    assert sorted(answer.status_code for answer in answers) == ([201] * 8 if key else [201] + [409] * 7)


def test_importing_needs_the_scope(service, put, client, record, problem_of):
    assert problem_of(put(record(), service.reader), 403, "scope_missing")["scope"] == "import"
    problem_of(client.post("/v1/imports", json=record()), 401, "unauthenticated")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"title": "\u202egnol"}, ("/title", "hidden_character")),
        ({"notes": "a\u0000b"}, ("/notes", "control_character")),
        ({"statement": "x" * 2001}, ("/statement", "bad_length")),
        ({"colour": "red"}, ("/colour", "unknown_key")),
        ({"outcome": "void"}, ("/outcome", "not_allowed")),
        ({"frozen_before_data": True, "outcome": "reported"}, ("/frozen_before_data", "not_predicted")),
        ({"replaces": {"record": "a" * 16, "reason": "x"}}, ("/replaces/record", "unknown_import")),
    ],
)
def test_what_is_refused_is_not_recorded(service, put, record, problem_of, parts, expected):  # noqa: PLR0917 - fixtures
    before = service.entries()
    problem = problem_of(put(record(**parts)), 422, "invalid_import")
    assert [(flaw["pointer"], flaw["code"]) for flaw in problem["errors"]] == [expected]
    assert service.entries() == before


def test_a_huge_record_is_refused_unread(put, record, problem_of):
    problem_of(put(record(notes="x" * 1024 * 1024)), 413, "body_too_large")
    problem_of(put(b"[" * 100_000), 422, "invalid_import")


def test_a_registration_is_no_record_and_a_record_no_registration(service, put, document, record, problem_of):
    told = {flaw["pointer"]: flaw for flaw in problem_of(put(document()), 422, "invalid_import")["errors"]}
    assert told["/schema"]["remedy"] == "Use antedate.import/1."
    problem_of(service.file(json.dumps(record()).encode()), 422, "invalid_registration")


def test_a_record_replaces_another_of_its_registrant(service, client, imported, record):
    first = imported(record())
    tagged = client.get(first["url"]).headers["ETag"]
    second = imported(record(replaces={"record": first["id"], "reason": "A figure was mistyped."}))
    assert second["replaces"] == {"record": first["id"], "reason": "A figure was mistyped."}
    assert client.get(second["url"]).json()["superseded_by"] is None
    again = client.get(first["url"], headers={"If-None-Match": tagged})
    assert again.status_code == 200
    assert again.json() == {**first, "superseded_by": second["id"]}
    unchanged = client.get(first["url"], headers={"If-None-Match": again.headers["ETag"]})
    assert unchanged.status_code == 304


def test_only_ones_own_record_and_only_once(  # noqa: PLR0917 - fixtures
    service, put, imported, file_claim, record, problem_of
):
    def code(answer):
        (flaw,) = problem_of(answer, 422, "invalid_import")["errors"]
        assert flaw["pointer"] == "/replaces/record"
        return flaw["code"]

    first = imported(record())["id"]
    assert code(put(record(replaces={"record": first, "reason": "x"}), service.bob)) == "not_your_import"
    imported(record(replaces={"record": first, "reason": "x"}))
    assert code(put(record(replaces={"record": first, "reason": "x"}))) == "import_superseded"
    assert code(put(record(replaces={"record": file_claim(), "reason": "x"}))) == "unknown_import"


def test_the_list_is_read_in_parts_newest_first(client, imported, record, problem_of):
    made = [imported(record())["id"] for _ in range(3)]
    page = client.get("/v1/imports?limit=2")
    assert [item["id"] for item in page.json()["items"]] == made[:0:-1]
    assert "record" not in page.json()["items"][0]
    address = page.headers["Link"].partition(">")[0].removeprefix("<")
    assert client.get(address).json()["items"][0]["id"] == made[0]
    problem_of(client.get("/v1/imports?cursor=nonsense"), 422, "invalid_query")
    problem_of(client.get("/v1/imports?outcome=refuted"), 422, "invalid_query")


@pytest.mark.parametrize("name", ["nothere00000", "..", "A" * 16, "a" * 11, "%00"])
def test_a_record_that_is_not_there(client, problem_of, name):
    assert client.get(f"/v1/imports/{name}").status_code == 404


@given(value=st.recursive(st.none() | st.text() | st.floats(), st.lists, max_leaves=5), place=st.data())
@RELAXED
def test_any_part_replaced_is_answered_and_nothing_refused_is_recorded(service, put, published, value, place):
    mutant = copy.deepcopy(published["mean_spearman"]) | {"title": "One part replaced"}
    mutant[place.draw(st.sampled_from(sorted(mutant)))] = value
    before = service.entries()
    answer = put(json.dumps(mutant).encode())
    assert answer.status_code in {201, 409, 422}, answer.text
    assert service.entries() == before + (answer.status_code == 201)
