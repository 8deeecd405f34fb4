"""What others forecast: sealed before any data could exist, and told as it was sealed."""

from __future__ import annotations

from claims import forecast_window, forecasts
from claims.entries import format_time
from claims.forecast_window import InvalidWindowError
from claims.forecasts import Forecast, InvalidForecastError
from claims.verifying.case import Case
from claims.verifying.lines import DoesNotHoldError, require


def check_forecasts(case: Case) -> str:
    """No run opened in the time that the document leaves for forecasts; each is sealed before, and told as sealed."""
    waited = _check_window(case)
    made = _check_seals(case)
    told = sum(one.probability is not None for one in made)
    found = (
        f"{len(made)} sealed before opening, {told} of them told since, as they were sealed" if made else "none made"
    )
    return found + waited


def _check_window(case: Case) -> str:
    registered, opened = case.registered, case.of_type("opened")
    # Whether the original of a reproduction had opened by then, its own bundle tells.
    possible = (False, True) if registered.payload.get("reproduces") else (False,)
    due = [forecast_window.stated(case.registration, original_opened=one) for one in possible]
    try:
        until = forecast_window.end_of(registered)
    except InvalidWindowError as error:
        raise DoesNotHoldError(f"the registration: {error}") from error
    stated = {key: registered.payload[key] for key in (forecast_window.KEY,) if key in registered.payload}
    require(stated in due, f"the registration states {stated}, and its document asks for {due[0]}")
    if until is None:
        return ""
    if opened:
        early = f"it was opened at {format_time(opened[0].time)}, before {format_time(until)}"
        require(opened[0].time >= until, early)
    return f"; no data before {format_time(until)}, {stated[forecast_window.KEY]} h after filing"


def _check_seals(case: Case) -> tuple[Forecast, ...]:
    made: tuple[Forecast, ...] = ()
    opened = next((entry.seq for entry in case.of_type("opened")), None)
    for entry in case.of_type("forecast"):
        if forecasts.is_seal(entry.payload):
            require(opened is None or entry.seq < opened, f"entry {entry.seq} was sealed after the claim was opened")
        try:
            made = forecasts.after(made, entry)
        except InvalidForecastError as error:
            raise DoesNotHoldError(f"entry {entry.seq}: {error}") from error
    return made
