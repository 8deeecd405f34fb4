"""Superseding and withdrawing."""

import json

import pytest


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
