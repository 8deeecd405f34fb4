"""What a claim's page says of forecasts: until when they are taken, how many are sealed, and what was told."""

from datetime import timedelta

import pytest

from claims.forecasts import seal

SALT = bytes(range(32))


@pytest.fixture
def page(service):
    def read(claim):
        answer = service.client.get(f"/claims/{claim}", headers={"Accept": "text/html"})
        assert answer.status_code == 200, answer.text
        return " ".join(answer.text.split())

    return read


@pytest.fixture
def forecast(service):
    def sealed(claim, *names):
        for who in names:
            body = {"sealed": seal(claim, who, 0.25, SALT)}
            assert service.post(who, f"/v1/claims/{claim}/forecasts", body).status_code == 200

    return sealed


def test_a_claim_that_nobody_forecast_says_nothing_of_it(page, file_claim):
    assert "Forecasts of others" not in page(file_claim())


def test_in_its_window_the_page_says_until_when_and_how_many(service, page, file_claim, forecast):
    claim = file_claim(forecast_hours=24)
    until = service.client.get(f"/v1/claims/{claim}").json()["not_before"]
    assert "forecasts are taken until then" in page(claim)
    forecast(claim, "bob", "eve")
    shown = page(claim)
    assert shown.count(f'Opens no earlier than <time datetime="{until}"') == 2, "by the forecasts, and by the progress"
    assert "2 sealed before the claim was opened; what they say is told once the claim is open." in shown
    assert "<bdi>bob</bdi>" not in shown
    service.post("ada", f"/v1/claims/{claim}/withdraw", {"reason": "A slip."})
    gone = page(claim)
    assert "2 sealed before the claim was opened, and never told, as the claim was withdrawn." in gone
    assert "Opens no earlier" not in gone


def test_what_was_told_stands_beside_what_was_hidden(service, page, file_claim, forecast, judge_claim):
    claim = file_claim()
    forecast(claim, "bob", "eve")
    judge_claim(claim, 0.9)
    body = {"probability": 0.25, "salt": SALT.hex()}
    assert service.post("bob", f"/v1/claims/{claim}/forecasts/reveal", body).status_code == 200
    shown = page(claim)
    assert "2 sealed before the claim was opened, 1 of them told since." in shown
    assert "1 was never told, and counts as hidden." in shown
    assert '<a href="/calibration?registrant=bob#forecasts"><bdi>bob</bdi></a>' in shown
    assert ">25 %<" in shown, "its narrow space is a space here"
    assert "<bdi>eve</bdi>" not in shown
    assert service.post("eve", f"/v1/claims/{claim}/forecasts/reveal", body).status_code == 200
    assert "2 sealed before the claim was opened, and told since." in page(claim)


def test_the_time_that_has_passed_is_no_longer_announced(page, file_claim, open_claim, pass_time):
    claim = file_claim(forecast_hours=1)
    pass_time(timedelta(hours=1))
    open_claim(claim)
    assert "Opens no earlier" not in page(claim)
