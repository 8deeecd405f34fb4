"""A claim measured again, contradicted by figures, corrected, and what stood on it: from the outside."""

import json

import pytest

from claims.canonical import canonical_bytes, sha256_hex


@pytest.fixture
def post(client, keys):
    def sent(name, path, body=None):
        headers = {"Authorization": f"Bearer {keys[name]}"}
        if body is None:
            return client.post(path, headers=headers)
        return client.post(path, content=json.dumps(body), headers={**headers, "Content-Type": "application/json"})

    return sent


@pytest.fixture
def get(client):
    def got(path):
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return got


@pytest.fixture
def file_coin(post, coins):
    def filed(name="ada", **parts):
        answer = post(name, "/v1/predictions", {**coins.document(), **parts})
        assert answer.status_code == 201, answer.text
        return answer.json()["claim"]

    return filed


@pytest.fixture
def reproduce(post):
    def reproduced(name, claim):
        answer = post(name, f"/v1/claims/{claim}/reproduce")
        assert answer.status_code == 201, answer.text
        return answer.json()["claim"]

    return reproduced


def test_from_a_confirmation_by_way_of_reproductions_to_a_correction(post, get, coins, file_coin, reproduce):
    original = file_coin(reproduction_tolerance={"heads": 0.05})
    above = file_coin(title="More follows", builds_on=[original])
    coins.measure(original, 0.6, "ada's", rows=0.4)  # the estimate is wrong: the rows say 0.4
    assert get(f"/v1/claims/{original}")["status"] == "confirmed"
    assert get(f"/v1/claims/{original}")["reproduced"] is False

    rerun, agreeing, disagreeing = (reproduce(name, original) for name in ("ada", "bob", "bob"))
    coins.measure(rerun, 0.6, "ada's")
    assert get(f"/v1/claims/{original}")["reproduced"] is False, "a rerun is none"
    coins.measure(agreeing, 0.62, "bob's")
    coins.measure(disagreeing, 0.4, "bob's")
    claim = get(f"/v1/claims/{original}")
    assert (claim["status"], claim["reproduced"], claim["corrected"]) == ("confirmed", True, False)
    said = {one["by"]: (one["kind"], one["agrees"], one["current"]) for one in claim["reproductions"]}
    assert said == {
        rerun: ("rerun", True, True),
        agreeing: ("reproduction", True, True),
        disagreeing: ("reproduction", False, True),
    }
    assert get(f"/v1/claims/{above}")["contested"] is False, "a failed reproduction contests nothing"

    why = {"run": f"{original}-1", "cause": "The heads were counted as tails.", "reason": "A reader found it."}
    answer = post("ada", f"/v1/claims/{original}/correct", why)
    assert (answer.status_code, answer.json()["type"]) == (200, "corrected"), answer.text
    claim = get(f"/v1/claims/{original}")
    assert (claim["status"], claim["corrected"]) == ("refuted", True)
    first, second = claim["judgements"]
    assert (first["status"], first["correction"]) == ("confirmed", None)
    assert second["status"] == "refuted"
    assert first["hypotheses"][0]["estimate"] == pytest.approx(0.6)
    assert second["hypotheses"][0]["estimate"] == pytest.approx(0.4) == claim["hypotheses"][0]["estimate"]
    assert {name: second["correction"][name] for name in ("cause", "reason", "actor")} == {
        "cause": why["cause"],
        "reason": why["reason"],
        "actor": "ada",
    }
    for judgement in (first, second):
        evidence = get(judgement["evidence"])
        assert sha256_hex(canonical_bytes(evidence)) == judgement["evidence_sha256"]
        assert evidence["estimates"]["heads"]["value"] == judgement["hypotheses"][0]["estimate"]
    assert get(f"/v1/claims/{original}/evidence") == get(second["evidence"])

    said = {one["by"]: (one["agrees"], one["current"]) for one in claim["reproductions"]}
    assert said == {rerun: (False, True), agreeing: (False, True), disagreeing: (True, True)}
    assert get(f"/v1/claims/{above}")["contested"] is True
    assert [one["id"] for one in get("/v1/claims?corrected=true")["items"]] == [original]
    assert [one["id"] for one in get("/v1/claims?reproduced=true")["items"]] == [original]
    types = [entry["type"] for entry in get(f"/v1/claims/{original}/history")["items"]]
    assert types[5:] == ["reproduced"] * 3 + ["corrected", "adjudicated"] + ["reproduced"] * 3


def test_who_may_correct(post, coins, file_coin, problem_of, get):
    claim = file_coin()
    coins.measure(claim, 0.6, rows=0.4)
    body = {"run": f"{claim}-1", "cause": "Wrong.", "reason": "Found."}
    problem_of(post("bob", f"/v1/claims/{claim}/correct", body), 403, "not_your_claim")
    assert post("root", f"/v1/claims/{claim}/correct", body).status_code == 200
    (_, second) = get(f"/v1/claims/{claim}")["judgements"]
    assert second["correction"]["actor"] == "root"
    problem = problem_of(post("ada", f"/v1/claims/{claim}/correct", body), 409, "not_correctable")
    assert "the same figures" in problem["detail"]


@pytest.fixture
def correct_wrong(post, coins, file_coin):
    """`correct_wrong({...})`: a correction of a wrong verdict, with these parts of the request changed."""

    def corrected(change):
        claim = file_coin()
        coins.measure(claim, 0.6, rows=0.4)
        body = {"run": f"{claim}-1", "cause": "Wrong.", "reason": "Found.", **change}
        return post("ada", f"/v1/claims/{claim}/correct", body)

    return corrected


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ({"run": None}, ("/run", "wrong_type")),
        ({"run": "no run"}, ("/run", "bad_form")),
        ({"run": "a" * 16 + "-7"}, ("/run", "other_run")),
        ({"cause": ""}, ("/cause", "bad_length")),
        ({"reason": " "}, ("/reason", "bad_form")),
        ({"cause": "a\u202eb"}, ("/cause", "hidden_character")),
        ({"figures": {}}, ("/figures", "unknown_key")),
    ],
)
def test_a_correction_is_read_strictly(correct_wrong, problem_of, change, flaw):
    (found,) = problem_of(correct_wrong(change), 422, "invalid_link")["errors"]
    assert (found["pointer"], found["code"]) == flaw


def test_there_must_be_such_a_claim_and_such_a_verdict(post, client, file_coin, problem_of):
    claim = file_coin()
    body = {"run": f"{claim}-1", "cause": "Wrong.", "reason": "Found."}
    problem_of(post("ada", f"/v1/claims/{'a' * 16}/correct", body), 404, "not_found")
    assert (
        "no verdict" in problem_of(post("ada", f"/v1/claims/{claim}/correct", body), 409, "not_correctable")["detail"]
    )
    problem_of(client.get(f"/v1/claims/{claim}/evidence?judgement=1"), 404, "nothing_measured")
    problem_of(client.get(f"/v1/claims/{claim}/evidence?judgement=0"), 422, "invalid_query")


def test_an_earlier_verdict_is_asked_for_by_its_number(client, coins, file_coin, problem_of):
    claim = file_coin()
    coins.measure(claim, 0.6)
    address = f"/v1/claims/{claim}/evidence"
    assert client.get(f"{address}?judgement=1").content == client.get(address).content
    problem_of(client.get(f"{address}?judgement=2"), 404, "not_found")


def test_an_instrument_that_moved_on_is_no_server_fault(post, coins, file_coin, problem_of, move_on):
    claim = file_coin()
    move_on()
    problem = problem_of(post("bob", f"/v1/claims/{claim}/reproduce"), 422, "invalid_link")
    assert [flaw["code"] for flaw in problem["errors"]] == ["instrument_version"]
