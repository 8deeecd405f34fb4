"""Superseding, contradicting, reproducing and withdrawing."""

import json

import pytest

from app.api import links


def post(service, path, body, key=None):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key or service.ada}"}
    return service.client.post(path, content=body if isinstance(body, bytes) else json.dumps(body), headers=headers)


def test_a_claim_is_superseded_by_another_of_its_registrant(service, client, file_claim):
    old, new = file_claim(), file_claim()
    answer = post(service, f"/v1/claims/{old}/supersede", {"by": new, "reason": "A better design."})
    assert answer.status_code == 200
    entry = answer.json()
    assert (entry["type"], entry["claim"], entry["payload"]) == (
        "superseded",
        old,
        {"by": new, "reason": "A better design."},
    )
    found = client.get(f"/v1/claims/{old}").json()
    assert (found["superseded"], found["superseded_by"]) == (True, new)
    (link,) = client.get(f"/v1/claims/{new}").json()["links"]
    assert (link["type"], link["claim"], link["incoming"]) == ("supersedes", old, False)
    assert old in [claim["id"] for claim in client.get("/v1/claims?superseded=true").json()["items"]]


def test_a_claim_is_superseded_once(service, file_claim, problem_of):
    old, new, newer = file_claim(), file_claim(), file_claim()
    assert post(service, f"/v1/claims/{old}/supersede", {"by": new, "reason": "x"}).status_code == 200
    late = problem_of(post(service, f"/v1/claims/{old}/supersede", {"by": newer, "reason": "x"}), 409, "too_late")
    assert late["detail"] == f"Claim {old}: it is superseded by {new} already."
    assert "Supersede the claim that replaced it" in late["remedy"]
    problem = problem_of(post(service, f"/v1/claims/{new}/supersede", {"by": old, "reason": "x"}), 422, "invalid_link")
    assert [flaw["code"] for flaw in problem["errors"]] == ["circular_link"]


def test_only_ones_own_claims(service, file_claim, problem_of):
    mine, theirs = file_claim(), file_claim(service.bob)
    body = {"by": mine, "reason": "Mine is better."}
    problem_of(post(service, f"/v1/claims/{theirs}/supersede", body), 403, "not_your_claim")
    problem_of(post(service, f"/v1/claims/{theirs}/withdraw", {"reason": "x"}), 403, "not_your_claim")
    answer = post(service, f"/v1/claims/{mine}/supersede", {"by": theirs, "reason": "x"})
    (flaw,) = problem_of(answer, 422, "invalid_link")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/by", "not_your_claim")


def test_a_claim_is_withdrawn_before_opening_and_stays(service, client, file_claim, problem_of):
    claim = file_claim()
    answer = post(service, f"/v1/claims/{claim}/withdraw", {"reason": "The wrong organism."})
    assert (answer.status_code, answer.json()["type"]) == (200, "withdrawn")
    found = client.get(f"/v1/claims/{claim}").json()
    assert found["status"] == "withdrawn"
    assert found["title"]
    assert client.get(f"/v1/claims/{claim}/runs").json()["items"][0]["status"] == "cancelled"
    problem_of(post(service, f"/v1/claims/{claim}/withdraw", {"reason": "Again."}), 409, "too_late")


def test_no_withdrawal_after_opening(service, client, file_claim, open_claim, problem_of):
    claim = file_claim()
    open_claim(claim)
    before = service.entries()
    problem_of(post(service, f"/v1/claims/{claim}/withdraw", {"reason": "It looks bad."}), 409, "too_late")
    assert service.entries() == before
    assert client.get(f"/v1/claims/{claim}").json()["status"] == "running"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b"", ""),
        (b"{", ""),
        (b"[]", ""),
        (b"{}", ""),
        (b'{"reason": ""}', "/reason"),
        (b'{"reason": "   "}', "/reason"),
        (b'{"reason": 5}', "/reason"),
        (b'{"reason": "a", "reason": "b"}', ""),
        (b'{"reason": "a", "colour": "red"}', "/colour"),
        (b'{"reason": "a\\u0000"}', "/reason"),
        (b'{"reason": "\\ud800"}', "/reason"),
        (b'{"reason": NaN}', "/reason"),
        (json.dumps({"reason": "x" * 2001}).encode(), "/reason"),
    ],
)
def test_a_reason_is_read_strictly(service, file_claim, problem_of, body, pointer):
    claim = file_claim()
    before = service.entries()
    problem = problem_of(post(service, f"/v1/claims/{claim}/withdraw", body), 422, "invalid_link")
    assert [flaw["pointer"] for flaw in problem["errors"]] == [pointer]
    assert all(flaw["remedy"] for flaw in problem["errors"])
    assert service.entries() == before


@pytest.mark.parametrize(("by", "code"), [("a" * 16, "unknown_claim"), ("self", "same_claim"), ("No!", "bad_form")])
def test_what_replaces_a_claim_is_a_claim(service, file_claim, problem_of, by, code):
    claim = file_claim()
    body = {"by": claim if by == "self" else by, "reason": "x"}
    (flaw,) = problem_of(post(service, f"/v1/claims/{claim}/supersede", body), 422, "invalid_link")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/by", code)


def test_what_was_withdrawn_neither_supersedes_nor_is_superseded(service, file_claim, problem_of):
    withdrawn, other = file_claim(), file_claim()
    assert post(service, f"/v1/claims/{withdrawn}/withdraw", {"reason": "x"}).status_code == 200
    before = service.entries()
    by_it = post(service, f"/v1/claims/{other}/supersede", {"by": withdrawn, "reason": "x"})
    (flaw,) = problem_of(by_it, 422, "invalid_link")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/by", "claim_withdrawn")
    of_it = post(service, f"/v1/claims/{withdrawn}/supersede", {"by": other, "reason": "x"})
    late = problem_of(of_it, 409, "too_late")
    assert late["detail"] == f"Claim {withdrawn}: it was withdrawn."
    assert service.entries() == before


def test_no_such_claim(service, problem_of):
    path = f"/v1/claims/{'a' * 16}"
    problem_of(post(service, f"{path}/withdraw", {"reason": "x"}), 404, "not_found")
    problem_of(post(service, f"{path}/supersede", {"by": "b" * 16, "reason": "x"}), 404, "not_found")


def test_a_long_body_is_not_read(service, problem_of):
    problem_of(post(service, f"/v1/claims/{'a' * 16}/withdraw", b"x" * 65537), 413, "body_too_large")


def test_a_claim_of_ones_own_contradicts_somebody_elses(service, file_claim, problem_of):
    mine, theirs = file_claim(), file_claim(service.bob)
    body = {"by": mine, "reason": "The sampling was the cause."}
    answer = post(service, f"/v1/claims/{theirs}/contradict", body)
    assert (answer.status_code, answer.json()["type"], answer.json()["payload"]) == (200, "contradicted", body)
    again = problem_of(post(service, f"/v1/claims/{theirs}/contradict", body), 409, "too_late")
    assert again["detail"] == f"Claim {theirs}: it is contradicted by {mine} already."
    own = problem_of(post(service, f"/v1/claims/{mine}/contradict", {**body, "by": file_claim()}), 422, "invalid_link")
    assert [(flaw["code"], mine in flaw["remedy"]) for flaw in own["errors"]] == [("own_claim", True)]
    other = post(service, f"/v1/claims/{theirs}/contradict", {**body, "by": file_claim(service.bob)})
    (flaw,) = problem_of(other, 422, "invalid_link")["errors"]
    assert (flaw["pointer"], flaw["code"]) == ("/by", "not_your_claim")


def reproduce(service, claim, key=None, **headers):
    sent = {"Authorization": f"Bearer {key or service.bob}", **headers}
    return service.client.post(f"/v1/claims/{claim}/reproduce", headers=sent)


def test_a_reproduction_is_one_request(service, client, file_claim):
    claim = file_claim()
    answer = reproduce(service, claim)
    assert answer.status_code == 201
    receipt = answer.json()
    assert answer.headers["Location"] == f"/v1/claims/{receipt['claim']}"
    assert receipt["registrant"] == "bob"
    assert receipt["entry"]["object"]["payload"]["reproduces"] == claim
    first, second = (client.get(f"/v1/claims/{one}").json() for one in (claim, receipt["claim"]))
    assert second["reproduces"] == claim
    assert second["registration"] == first["registration"]
    assert second["document_sha256"] == first["document_sha256"] == receipt["document_sha256"]
    assert client.get(f"/v1/claims/{receipt['claim']}/runs").json()["items"][0]["status"] == "queued"


def test_the_same_key_gets_the_first_reproduction_again(service, file_claim, problem_of):
    claim, other = file_claim(), file_claim()
    first, again = (reproduce(service, claim, **{"Idempotency-Key": f"r-{claim}"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    problem_of(reproduce(service, other, **{"Idempotency-Key": f"r-{claim}"}), 422, "idempotency_key_reused")
    assert reproduce(service, claim).json()["claim"] != first.json()["claim"]


def test_what_cannot_be_reproduced_says_why(service, file_claim, problem_of):
    claim = file_claim()
    post(service, f"/v1/claims/{claim}/withdraw", {"reason": "x"})
    before = service.entries()
    assert "was withdrawn" in problem_of(reproduce(service, claim), 409, "too_late")["detail"]
    problem_of(reproduce(service, "a" * 16), 404, "not_found")
    problem_of(reproduce(service, claim, service.reader), 403, "scope_missing")
    sent = {"Authorization": f"Bearer {service.bob}"}
    problem_of(service.client.post(f"/v1/claims/{claim}/reproduce", content=b"{}", headers=sent), 400, "bad_request")
    assert service.entries() == before


def test_an_amendment_does_not_stand_on_what_it_amends(service, document, file_claim, problem_of):
    ground = file_claim()
    above = file_claim(builds_on=[ground])
    for named in ([ground], [file_claim(), above]):
        body = document(amends={"claim": ground, "reason": "Better."}, builds_on=named)
        (flaw,) = problem_of(service.file(json.dumps(body).encode()), 422, "invalid_registration")["errors"]
        assert (flaw["pointer"], flaw["code"]) == (f"/builds_on/{len(named) - 1}", "circular_link")


def test_corrections_do_not_take_every_thread(service, client, file_claim, problem_of, monkeypatch):
    claim = file_claim()
    monkeypatch.setattr(links, "WAIT_SECONDS", 0.01)
    body = {"run": f"{claim}-1", "cause": "A sign.", "reason": "It was wrong."}
    with links._ESTIMATING:
        answer = client.post(
            f"/v1/claims/{claim}/correct", json=body, headers={"Authorization": f"Bearer {service.ada}"}
        )
    problem_of(answer, 503, "unavailable")
    assert answer.headers["Retry-After"]
