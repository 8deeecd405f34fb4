"""The time between filing and opening in which others can forecast a claim: `forecast_hours` of its document."""

from __future__ import annotations

from datetime import datetime, timedelta

from claims.entries import Entry
from claims.registration.model import MOST_FORECAST_HOURS, Registration

KEY = "forecast_hours"


class InvalidWindowError(ValueError):
    """A `registered` entry whose hours are none, or not those of its document; the text says why."""


def stated(registration: Registration, *, original_opened: bool = False) -> dict[str, int]:
    """What a `registered` payload says of it: nothing where there is none.

    `original_opened` is of a reproduction: one whose original has opened is not waited for, as nobody could forecast it
    blindly; any other waits as long as its original, from its own filing, so that it does not tell the outcome early.
    """
    hours = 0 if original_opened else registration.forecast_hours
    return {KEY: hours} if hours else {}


def end_of(registered: Entry) -> datetime | None:
    """The time before which no run of the claim is opened, counted from its filing; None where it need not wait.

    Raises `InvalidWindowError` for hours that no document can ask for.
    """
    if KEY not in registered.payload:
        return None
    hours = registered.payload[KEY]
    if type(hours) is not int or not 1 <= hours <= MOST_FORECAST_HOURS:
        raise InvalidWindowError(f"{KEY} is {hours!r}, not 1 to {MOST_FORECAST_HOURS}")
    return registered.time + timedelta(hours=hours)


def check(registered: Entry, registration: Registration, *, original_opened: bool) -> None:
    """Raises `InvalidWindowError` unless the payload states what follows from the document."""
    due = stated(registration, original_opened=original_opened)
    found = {KEY: registered.payload[KEY]} if KEY in registered.payload else {}
    if found != due:
        raise InvalidWindowError(
            f"it says {found.get(KEY, 0)!r} {KEY}, and by its document there are {due.get(KEY, 0)}"
        )
