"""What was sealed of a claim before it opened, and what that was; and whether its log left time for it."""

from __future__ import annotations

from app.ledger.projections.store import Store
from app.ledger.tables import ForecastRow
from claims import forecast_window, forecasts
from claims.entries import Entry
from claims.forecast_window import InvalidWindowError
from claims.lifecycle import ClaimState, IllegalStepError


def check_window(store: Store, entry: Entry, state: ClaimState) -> None:
    """Refuses a registration that states another time for forecasts than its document asks for."""
    original = None if state.reproduces is None else store.state(state.reproduces, entry.seq)
    opened = original is not None and original.opened is not None
    try:
        forecast_window.check(entry, store.registration(state.id), original_opened=opened)
    except InvalidWindowError as error:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: {error}") from error


def add_forecast(store: Store, entry: Entry, state: ClaimState) -> None:
    payload, key = entry.payload, {"claim": state.id, "registrant": entry.actor}
    if forecasts.is_seal(payload):
        store.insert(ForecastRow, {**key, "sealed": payload["sealed"], "seq": entry.seq, "time": entry.time})
        return
    told = {"probability": payload["probability"], "salt": payload["salt"]}
    store.update(ForecastRow, key, {**told, "revealed": entry.time, "revealed_seq": entry.seq})
