"""Forecasts through the service, from filing to how they came out, and what is tried against them."""

import io
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from app.ledger.outbox import relay
from app.ledger.runs import claim_shard
from claims.bundle.archive import read
from claims.entries import parse_time
from claims.forecasts import seal
from claims.verifying import Case, Pin, verify

SALT = bytes(range(32))
SOURCE = {"instrument_source_sha256": "0" * 64}
DAY = timedelta(hours=24)


@dataclass(frozen=True)
class Forecasting:
    """What people do with forecasts over HTTP."""

    service: Any

    def seal(self, who, claim, probability=0.3, salt=SALT):
        sealed = {"sealed": seal(claim, who, probability, salt)}
        return self.service.post(who, f"/v1/claims/{claim}/forecasts", sealed)

    def reveal(self, who, claim, probability=0.3, salt=SALT):
        told = {"probability": probability, "salt": salt.hex()}
        return self.service.post(who, f"/v1/claims/{claim}/forecasts/reveal", told)

    def listed(self, claim):
        return self.service.client.get(f"/v1/claims/{claim}/forecasts").json()["items"]

    def stats(self, who):
        return self.service.client.get(f"/v1/stats/forecasts?registrant={who}").json()


@pytest.fixture
def by(service):
    return Forecasting(service)


def entries(service):
    return service.client.get("/v1/stats").json()["entries"]


def take(service, claim):
    with service.ledger.begin() as session:
        term = timedelta(minutes=1)
        return claim_shard(session, f"{claim}-1", 0, worker="w1", source=SOURCE, term=term)


def test_a_claim_from_its_filing_to_its_forecasters_record(service, by, file_claim, judge_claim, pass_time):
    """In its window no worker can lease it; then it opens, and what was sealed is told and held to the verdict."""
    claim = file_claim(forecast_hours=24)
    found, run = (service.client.get(f"/v1/{what}").json() for what in (f"claims/{claim}", f"runs/{claim}-1"))
    assert parse_time(found["not_before"]) - parse_time(found["filed"]) == DAY
    assert run["not_before"] == found["not_before"]

    assert take(service, claim) is None
    assert relay(service.ledger, lambda run, *_: pytest.fail(f"{run} was sent"), run=f"{claim}-1") == 0
    first = by.seal("dan", claim, 0.25)
    assert first.status_code == 200, first.text
    assert first.json()["payload"] == {"sealed": seal(claim, "dan", 0.25, SALT)}
    assert by.seal("fay", claim, 1).status_code == 200
    dan, fay = by.listed(claim)
    assert (dan["registrant"], dan["probability"], dan["salt"], dan["revealed"]) == ("dan", None, None, None)
    assert fay["probability"] is None, "nobody is led by it"

    pass_time(DAY - timedelta(minutes=1))
    assert take(service, claim) is None
    pass_time(timedelta(minutes=1))
    judge_claim(claim, 0.9)
    assert service.client.get(f"/v1/claims/{claim}").json()["status"] == "confirmed"
    assert by.reveal("dan", claim, 0.25).status_code == 200
    dan, fay = by.listed(claim)
    assert (dan["probability"], dan["salt"]) == (0.25, SALT.hex())
    assert dan["revealed_seq"] > dan["seq"]
    assert fay["probability"] is None

    dan, fay = by.stats("dan"), by.stats("fay")
    assert (dan["sealed"], dan["revealed"], dan["hidden"]) == (1, 1, 0)
    assert dan["calibration"]["brier"] == pytest.approx(0.75**2)
    assert (fay["sealed"], fay["revealed"], fay["hidden"], fay["calibration"]["brier"]) == (1, 0, 1, None)


def test_the_claim_s_bundle_shows_it_to_whoever_trusts_nobody(service, by, file_claim, judge_claim, pass_time):
    claim = file_claim(forecast_hours=24)
    by.seal("bob", claim, 0.25)
    pass_time(DAY)
    judge_claim(claim, 0.9)
    by.reveal("bob", claim, 0.25)
    answer = service.client.get(f"/v1/claims/{claim}/bundle.zip")
    assert answer.status_code == 200, answer.text
    parts = read(io.BytesIO(answer.content))
    key = service.client.get("/v1/log/key").text.strip()
    lines = {line.name: line for line in verify(Case(parts, Pin(key, "given")))}
    for name in ("document", "entries", "inclusion", "checkpoint", "receipt", "forecasts", "nonce"):
        assert lines[name].state == "ok", lines[name]
    until = service.client.get(f"/v1/claims/{claim}").json()["not_before"]
    assert lines["forecasts"].detail == (
        f"1 sealed before opening, 1 of them told since, as they were sealed; no data before {until}, 24 h after filing"
    )


def test_a_run_whose_time_has_come_by_the_queue_alone_is_not_opened(service, file_claim, pass_time):
    claim = file_claim(forecast_hours=1)
    pass_time(timedelta(minutes=59))
    assert take(service, claim) is None
    pass_time(timedelta(minutes=1))
    assert take(service, claim) is not None


def test_a_reproduction_does_not_tell_the_outcome_early(service, by, file_claim, pass_time, problem_of):
    claim = file_claim(forecast_hours=24)

    def reproduce():
        answer = service.send(f"/v1/claims/{claim}/reproduce", b"", service.keys["bob"])
        assert answer.status_code == 201, answer.text
        return answer.json()["claim"]

    early = reproduce()
    assert take(service, early) is None
    problem = problem_of(by.seal("eve", early), 409, "too_late")
    assert "froze: forecast that one" in problem["detail"]
    pass_time(DAY)
    assert take(service, claim) is not None
    assert take(service, early) is not None
    late = reproduce()
    assert service.client.get(f"/v1/claims/{late}").json()["not_before"] is None
    assert take(service, late) is not None


def test_forecasting_ones_own_claim(service, by, file_claim, problem_of):
    claim, before = file_claim(), entries(service)
    (flaw,) = problem_of(by.seal("ada", claim), 422, "invalid_forecast")["errors"]
    assert (flaw["code"], flaw["detail"]) == ("own_claim", f"you filed claim {claim}")
    assert entries(service) == before


def test_forecasting_after_opening(service, by, file_claim, open_claim, problem_of):
    claim, gone = file_claim(), file_claim()
    open_claim(claim)
    assert "data may exist" in problem_of(by.seal("bob", claim), 409, "too_late")["detail"]
    service.post("ada", f"/v1/claims/{gone}/withdraw", {"reason": "A slip."})
    assert "withdrawn" in problem_of(by.seal("bob", gone), 409, "too_late")["detail"]


def test_copying_a_seal(service, by, file_claim, open_claim, problem_of):
    claim = file_claim()
    by.seal("bob", claim)
    copied = {"sealed": seal(claim, "bob", 0.3, SALT)}
    assert service.post("eve", f"/v1/claims/{claim}/forecasts", copied).status_code == 200, "a seal tells nothing"
    open_claim(claim)
    assert by.reveal("bob", claim).status_code == 200
    (flaw,) = problem_of(by.reveal("eve", claim), 422, "invalid_forecast")["errors"]
    assert flaw["code"] == "not_sealed"
    assert [one["probability"] for one in by.listed(claim)] == [0.3, None]


def test_revealing_another_probability(service, by, file_claim, open_claim, problem_of):
    claim = file_claim()
    by.seal("bob", claim, 0.3)
    open_claim(claim)
    before = entries(service)
    for probability, salt in ((0.9, SALT), (0.3, bytes(32))):
        (flaw,) = problem_of(by.reveal("bob", claim, probability, salt), 422, "invalid_forecast")["errors"]
        assert (flaw["code"], seal(claim, "bob", 0.3, SALT) in flaw["detail"]) == ("not_sealed", True)
    (flaw,) = problem_of(by.reveal("eve", claim), 422, "invalid_forecast")["errors"]
    assert flaw["detail"] == f"you sealed no forecast of claim {claim}"
    assert entries(service) == before
    assert by.reveal("bob", claim, 0.3).status_code == 200, "the wrong ones did no harm"


def test_revealing_early(service, by, file_claim, problem_of):
    claim = file_claim(forecast_hours=24)
    by.seal("bob", claim)
    until = service.client.get(f"/v1/claims/{claim}").json()["not_before"]
    problem = problem_of(by.reveal("bob", claim), 409, "too_early")
    assert problem["detail"] == f"Claim {claim}: it is not open yet, and opens no earlier than {until}."
    service.post("ada", f"/v1/claims/{claim}/withdraw", {"reason": "A slip."})
    problem = problem_of(by.reveal("bob", claim), 409, "too_late")
    assert "counts as `withdrawn`" in problem["remedy"]
    assert by.listed(claim)[0]["probability"] is None
    assert by.stats("bob")["withdrawn"] >= 1


def test_many_forecasts_of_one(service, by, file_claim, open_claim, problem_of):
    claim = file_claim()
    by.seal("bob", claim, 0.1)
    problem = problem_of(by.seal("bob", claim, 0.9, bytes(32)), 409, "already_forecast")
    assert "already, at entry" in problem["detail"]
    open_claim(claim)
    problem_of(by.seal("bob", claim, 0.9, bytes(32)), 409, "already_forecast")


def test_the_same_again_gets_its_first_entry(service, by, file_claim, open_claim, problem_of):
    """Whoever lost the answer asks once more, at any time; nothing is recorded twice, nor anything else said."""
    claim = file_claim()
    sealed = by.seal("bob", claim, 0.1)
    assert sealed.status_code == 200
    recorded = entries(service)
    assert by.seal("bob", claim, 0.1).json() == sealed.json()
    open_claim(claim)
    opened = entries(service)
    assert (by.seal("bob", claim, 0.1).json(), entries(service)) == (sealed.json(), opened)
    assert opened > recorded
    told = by.reveal("bob", claim, 0.1)
    assert told.status_code == 200
    recorded = entries(service)
    assert by.reveal("bob", claim, 0.1).json() == told.json()
    assert by.seal("bob", claim, 0.1).json() == sealed.json()
    problem_of(by.reveal("bob", claim, 0.2), 422, "invalid_forecast")
    problem_of(by.seal("bob", claim, 0.2), 409, "already_forecast")
    assert entries(service) == recorded


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"sealed": "ab"},
        {"sealed": "AB" * 32},
        {"sealed": None},
        {"sealed": "ab" * 32, "probability": 0.3},
    ],
)
def test_what_is_no_seal(service, file_claim, problem_of, body):
    problem_of(service.post("bob", f"/v1/claims/{file_claim()}/forecasts", body), 422, "invalid_forecast")


@pytest.mark.parametrize(
    "body",
    [
        {"salt": SALT.hex()},
        {"probability": 1.01, "salt": SALT.hex()},
        {"probability": "0.3", "salt": SALT.hex()},
        {"probability": True, "salt": SALT.hex()},
        {"probability": 0.3, "salt": "00"},
    ],
)
def test_what_tells_nothing(by, file_claim, open_claim, problem_of, body):
    claim = file_claim()
    by.seal("bob", claim)
    open_claim(claim)
    answer = by.service.post("bob", f"/v1/claims/{claim}/forecasts/reveal", body)
    problem_of(answer, 422, "invalid_forecast")


def test_it_needs_a_key_and_a_claim(service, file_claim, problem_of):
    claim = file_claim()
    body = {"sealed": "ab" * 32}
    problem_of(service.client.post(f"/v1/claims/{claim}/forecasts", json=body), 401, "unauthenticated")
    problem_of(service.post("bob", "/v1/claims/nothere00000/forecasts", body), 404, "not_found")
    told = {"probability": 0.3, "salt": SALT.hex()}
    problem_of(service.post("bob", "/v1/claims/nothere00000/forecasts/reveal", told), 404, "not_found")
    problem_of(service.client.get("/v1/claims/nothere00000/forecasts"), 404, "not_found")


def test_a_key_knows_whose_it_is(service, problem_of):
    answer = service.client.get("/v1/key", headers={"Authorization": f"Bearer {service.keys['bob']}"})
    assert answer.json() == {"registrant": "bob", "scopes": ["admin", "file", "import", "run"]}
    problem_of(service.client.get("/v1/key"), 401, "unauthenticated")
