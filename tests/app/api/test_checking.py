"""A design is checked by the code that files it, and nothing is left of the check."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.ledger import filing
from app.ledger.append import lock

ASSUMED = {"recovery_gap_constructed": {"value": 0.1, "sd": 0.2, "source": "the pilot of the recipe"}}


def sent(service, document, key=None, **headers):
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {key or service.ada}", **headers}
    return service.client.post("/v1/predictions:check", content=json.dumps(document).encode(), headers=sent)


def test_a_check_says_what_the_receipt_will_say_and_records_nothing(service, document):
    prediction = document(assumptions=ASSUMED)
    before = service.entries(), service.claims()
    checked = sent(service, prediction)
    assert checked.status_code == 200, checked.text
    assert (service.entries(), service.claims()) == before
    said = checked.json()
    receipt = service.file(json.dumps(prediction).encode()).json()
    assert said["check"] == receipt["check"]
    assert (said["precedence"], said["document_sha256"]) == (receipt["precedence"], receipt["document_sha256"])
    assert said["duplicate_of"] is None
    assert said["shards"] == prediction["sampling"]["organisms"]
    first = said["check"]["hypotheses"][0]
    assert (first["n"], first["unit"], first["drawn_from"]) == (16, "organism", "beta")
    assert 0.4 < first["power"] < 0.6
    assert first["smallest_n"] > 24
    assert "POWER" in [warning["code"] for warning in said["check"]["warnings"]]


def test_what_waits_in_the_queue_is_counted(service, document, file_claim):
    before = sent(service, document()).json()["check"]["waiting"]
    file_claim()
    assert sent(service, document()).json()["check"]["waiting"] == before + 24


def test_a_document_on_the_ledger_is_told_by_its_claim(service, document):
    prediction = document()
    claim = service.file(json.dumps(prediction).encode()).json()["claim"]
    answer = sent(service, prediction, service.bob)
    assert (answer.status_code, answer.json()["duplicate_of"]) == (200, claim)


def test_an_amendment_on_the_ledger_is_a_duplicate_and_no_flaw(service, document, file_claim):
    amendment = document(amends={"claim": file_claim(), "reason": "Too small."})
    claim = service.file(json.dumps(amendment).encode()).json()["claim"]
    assert sent(service, amendment).json()["duplicate_of"] == claim


@pytest.mark.parametrize(
    "parts",
    [
        {"hypotheses": []},
        {"builds_on": ["nothing00000"]},
        {"amends": {"claim": "nothing00001", "reason": "None."}},
        {"assumptions": {"recovery_gap": {"value": 1.5, "sd": 0.2, "source": "a guess"}}},
    ],
)
def test_flaws_are_those_that_filing_finds(service, document, problem_of, parts):
    prediction = document(**parts)
    filed = service.file(json.dumps(prediction).encode())
    problem = problem_of(sent(service, prediction), 422, "invalid_registration")
    assert problem["errors"] == problem_of(filed, 422, "invalid_registration")["errors"]


def test_it_takes_the_key_and_the_body_that_filing_takes(service, document, problem_of):
    problem_of(sent(service, document(), "ant_" + "x" * 43), 401, "unauthenticated")
    problem_of(sent(service, document(), service.reader), 403, "scope_missing")
    problem_of(sent(service, document(), **{"Content-Type": "text/plain"}), 415, "wrong_media_type")
    assert service.client.get("/v1/predictions:check").status_code == 405


def test_a_check_waits_for_nobody_and_a_filing_simulates_before_it_does(service, document, monkeypatch):
    """With the log's lock held elsewhere, a check answers; a filing has simulated by the time it asks for the lock."""
    asked, real = [], filing.lock

    simulated, compute = [], filing.designing.power_of
    monkeypatch.setattr(filing, "lock", lambda session: asked.append(session) or real(session))
    monkeypatch.setattr(filing.designing, "power_of", lambda *parts: simulated.append(len(asked)) or compute(*parts))
    with ThreadPoolExecutor(1) as pool, service.ledger.begin() as session:
        lock(session)
        assert sent(service, document()).status_code == 200
        filed = pool.submit(service.file, json.dumps(document()).encode())
        session.rollback()
        assert filed.result().status_code == 201
    assert simulated == [0, 0]
    assert len(asked) == 1
