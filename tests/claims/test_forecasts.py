"""Sealing before opening, telling after: what may follow what, and the threats that the format answers."""

import hashlib
import json
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims import forecast_window
from claims.entries import Entry, parse_time
from claims.forecasts import Forecast, InvalidForecastError, seal
from claims.lifecycle import IllegalStepError, fold, step
from claims.registration.model import Registration

CLAIM, RUN, NONCE, SALT = "c" * 12, "c" * 12 + "-1", bytes(32), bytes(range(32))
FILED = parse_time("2026-12-01T12:00:00.000000Z")
REGISTERED = {
    "registration": {},
    "document_sha256": "ab" * 32,
    "nonce_sha256": hashlib.sha256(NONCE).hexdigest(),
    "precedence": "committed",
}
OPENED = ("worker", "opened", {"run": RUN, "nonce": NONCE.hex(), "beacon": None})
WITHDRAWN = ("ada", "withdrawn", {"reason": "a slip"})


def sealed(who="bob", probability=0.3, salt=SALT, claim=CLAIM):
    return (who, "forecast", {"sealed": seal(claim, who, probability, salt)})


def revealed(who="bob", probability=0.3, salt=SALT, reveals=1):
    return (who, "forecast", {"reveals": reveals, "probability": probability, "salt": salt.hex()})


def life(*events, **registered):
    """A claim filed by ada, then an event each second."""
    first = Entry(0, "registered", CLAIM, "ada", FILED, {**REGISTERED, **registered})
    later = (
        Entry(seq, kind, CLAIM, who, FILED + timedelta(seconds=seq), payload)
        for seq, (who, kind, payload) in zip(count(1), events, strict=False)
    )
    return fold([first, *later])


def test_a_seal_is_what_docs_forecasts_says():
    """Recomputed as the page tells anybody to."""
    said = json.dumps({"claim": CLAIM, "forecaster": "bob", "probability": 0.3}, sort_keys=True, separators=(",", ":"))
    assert seal(CLAIM, "bob", 0.3, SALT) == hashlib.sha256(SALT + said.encode()).hexdigest()
    assert seal(CLAIM, "bob", 1.0, SALT) == seal(CLAIM, "bob", 1, SALT), "RFC 8785 writes both as 1"


@given(st.floats(0, 1), st.binary(min_size=32, max_size=32), st.sampled_from(["bob", "eve"]))
def test_what_was_sealed_can_be_revealed_and_nothing_else(probability, salt, who):
    state = life(sealed(who, probability, salt), OPENED, revealed(who, probability, salt))
    assert state.forecasts == (Forecast(who, 1, seal(CLAIM, who, probability, salt), probability, 3),)
    with pytest.raises(IllegalStepError, match="give the seal"):
        life(sealed(who, probability, salt), OPENED, revealed(who, 0.5 if probability != 0.5 else 0.6, salt))


def test_a_forecast_leaves_the_claim_as_it_is():
    state = life(sealed(), sealed("eve"), OPENED)
    assert (state.status, state.run) == ("running", RUN)
    assert [(one.forecaster, one.seq, one.probability) for one in state.forecasts] == [
        ("bob", 1, None),
        ("eve", 2, None),
    ]


def test_forecasting_ones_own_claim():
    with pytest.raises(IllegalStepError, match="others than its registrant"):
        life(sealed("ada"))


def test_forecasting_after_opening():
    with pytest.raises(IllegalStepError, match="only before opening"):
        life(OPENED, sealed())
    with pytest.raises(IllegalStepError, match="only before opening"):
        life(WITHDRAWN, sealed())


def test_copying_a_seal():
    """Eve hands in Bob's seal as hers, and once he has told what is in it says the same: it is not her seal."""
    _, kind, payload = sealed("bob")
    stolen = ("eve", kind, payload)
    with pytest.raises(IllegalStepError, match="give the seal"):
        life(sealed("bob"), stolen, OPENED, revealed("bob"), revealed("eve", reveals=2))
    with pytest.raises(IllegalStepError, match="sealed nothing at entry 1"):
        life(sealed("bob"), OPENED, revealed("eve", reveals=1))
    other = sealed("bob", claim="d" * 12)
    with pytest.raises(IllegalStepError, match="give the seal"):
        life(other, OPENED, revealed("bob"))


def test_revealing_another_probability():
    with pytest.raises(IllegalStepError, match="bob sealed"):
        life(sealed(probability=0.3), OPENED, revealed(probability=0.9))
    with pytest.raises(IllegalStepError, match="bob sealed"):
        life(sealed(salt=SALT), OPENED, revealed(salt=bytes(32)))


def test_revealing_early():
    with pytest.raises(IllegalStepError, match="once the claim is opened"):
        life(sealed(), revealed())
    with pytest.raises(IllegalStepError, match="once the claim is opened"):
        life(sealed(), WITHDRAWN, revealed())


def test_many_forecasts_of_one():
    with pytest.raises(IllegalStepError, match="sealed a forecast already, at entry 1"):
        life(sealed(), sealed(probability=0.9, salt=bytes(32)))
    with pytest.raises(IllegalStepError, match="revealed already"):
        life(sealed(), OPENED, revealed(), revealed())


def test_a_reproduction_is_not_forecast():
    with pytest.raises(IllegalStepError, match=f"what {'d' * 12} froze"):
        life(sealed(), reproduces="d" * 12)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"sealed": "ab" * 31},
        {"sealed": "AB" * 32},
        {"sealed": 1},
        {"sealed": "ab" * 32, "probability": 0.3},
        {"reveals": 1, "probability": 0.3},
        {"reveals": 1, "probability": "0.3", "salt": SALT.hex()},
        {"reveals": 1, "probability": True, "salt": SALT.hex()},
        {"reveals": 1, "probability": 1.1, "salt": SALT.hex()},
        {"reveals": 1, "probability": 0.3, "salt": "0" * 62},
        {"reveals": 1, "probability": 0.3, "salt": None},
    ],
)
def test_what_is_no_forecast_is_refused(payload):
    events = [("eve", "forecast", payload)] if "sealed" in payload else [OPENED, ("bob", "forecast", payload)]
    with pytest.raises(IllegalStepError):
        life(sealed(), *events)


def test_a_seal_takes_a_probability_and_a_salt():
    for probability, salt in ((-0.1, SALT), (float("nan"), SALT), (True, SALT), ("1", SALT), (0.5, SALT[:31])):
        with pytest.raises(InvalidForecastError):
            seal(CLAIM, "bob", probability, salt)


@given(st.integers(1, 2160), st.integers(-3, 3))
def test_a_run_opens_once_its_time_has_come(hours, microseconds):
    state = life(forecast_hours=hours)
    assert state.not_before == FILED + timedelta(hours=hours)
    who, kind, payload = OPENED
    moment = state.not_before + timedelta(microseconds=microseconds)
    if microseconds < 0:
        with pytest.raises(IllegalStepError, match="forecasts are taken until"):
            step(state, Entry(1, kind, CLAIM, who, moment, payload))
    else:
        assert step(state, Entry(1, kind, CLAIM, who, moment, payload)).opened == moment


def test_a_claim_may_be_withdrawn_while_it_is_forecast():
    assert life(sealed(), WITHDRAWN, forecast_hours=24).status == "withdrawn"
    assert life().not_before is None


@pytest.mark.parametrize("hours", [0, -1, 2161, 1.0, "24", True, None])
def test_hours_that_no_document_asks_for_are_refused(hours):
    with pytest.raises(IllegalStepError, match="forecast_hours"):
        life(forecast_hours=hours)


def test_what_is_stated_follows_from_the_document(document):
    registration = Registration.model_validate(document)
    asked = registration.model_copy(update={"forecast_hours": 24})
    assert forecast_window.stated(registration) == {}
    assert forecast_window.stated(asked) == {"forecast_hours": 24}
    assert forecast_window.stated(asked, original_opened=True) == {}
    entry = Entry(0, "registered", CLAIM, "ada", FILED, {**REGISTERED, "forecast_hours": 24})
    forecast_window.check(entry, asked, original_opened=False)
    for frozen, opened in ((registration, False), (asked, True)):
        with pytest.raises(forecast_window.InvalidWindowError, match="by its document"):
            forecast_window.check(entry, frozen, original_opened=opened)
