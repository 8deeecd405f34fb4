"""Forecasts in a bundle: sealed before opening, told as sealed, in the time that the document leaves."""

from datetime import timedelta

import pytest

from claims.forecasts import seal
from claims.verifying import Case, Pin, verify
from tests.claims.verifying.story import CLAIM

SALT = bytes(range(32))
SEALED = ("forecast", "bob", {"sealed": seal(CLAIM, "bob", 0.25, SALT)})
TOLD = ("forecast", "bob", {"reveals": 3, "probability": 0.25, "salt": SALT.hex()})


@pytest.fixture
def told(story):
    """`told(before, after)`: the story with these entries before it is opened, and those after its verdict."""
    steps = story.steps

    def line(before=(), after=(), **hours):
        def all_of_it():
            found = steps()
            return [
                *found[:3],
                *((kind, CLAIM, who, payload) for kind, who, payload in before),
                *found[3:],
                *((kind, CLAIM, who, payload) for kind, who, payload in after),
            ]

        story.steps = all_of_it
        story.changes["registered"] = hours
        lines = {one.name: one for one in verify(Case(story.parts(), Pin(story.vkey, "given")))}
        return lines["forecasts"], lines["entries"]

    return line


def test_none(told):
    found, entries = told()
    assert (found.state, found.detail, entries.state) == ("ok", "none made", "ok")


def test_sealed_and_told(told):
    found, entries = told([SEALED, ("forecast", "eve", {"sealed": "ab" * 32})], [TOLD])
    assert (found.state, entries.state) == ("ok", "ok"), entries.detail
    assert found.detail == "2 sealed before opening, 1 of them told since, as they were sealed"


def test_told_otherwise(told):
    found, entries = told([SEALED], [("forecast", "bob", {**TOLD[2], "probability": 0.9})])
    assert (found.state, entries.state) == ("failed", "failed")
    assert "bob sealed" in found.detail


def test_sealed_late(told):
    found, entries = told([], [SEALED])
    assert (found.state, entries.state) == ("failed", "failed")
    assert found.detail.endswith("was sealed after the claim was opened")


def test_opened_in_its_time(story, told):
    story.document["forecast_hours"] = 1
    story.shifted = dict.fromkeys(
        ("opened", "run_ended", "evidence_recorded", "adjudicated", "noted"), timedelta(minutes=61)
    )
    story.shifted["noted"] = timedelta()
    story.after = 0
    story.estimate()
    story.judge()
    found, entries = told(forecast_hours=1)
    assert (found.state, entries.state) == ("ok", "ok"), (found.detail, entries.detail)
    assert found.detail == "none made; no data before 2026-11-30T13:00:01.000000Z, 1 h after filing"


def test_opened_early(story, told):
    story.document["forecast_hours"] = 1
    story.estimate()
    story.judge()
    found, entries = told(forecast_hours=1)
    assert (found.state, entries.state) == ("failed", "failed")
    assert "before 2026-11-30T13:00:01" in found.detail


@pytest.mark.parametrize("asked", [0, 24])
@pytest.mark.parametrize("hours", [{}, {"forecast_hours": 1}, {"forecast_hours": "1"}])
def test_hours_that_the_document_does_not_ask_for(story, told, asked, hours):
    if asked:
        story.document["forecast_hours"] = asked
    found, _ = told(**hours)
    assert found.state == ("failed" if hours or asked else "ok")
