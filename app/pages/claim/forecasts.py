"""What others forecast before the claim was opened: how many while it is sealed, what it was once it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.pages import words
from claims import forecast_window, forecasts
from claims.entries import Entry

JUDGED = {"adjudicated", "voided"}


@dataclass(frozen=True)
class Told:
    """One forecast that was told: `probability` as people read it, and the entries that sealed and told it."""

    forecaster: str
    probability: str
    sealed: datetime
    sealed_seq: int
    told: datetime
    told_seq: int


@dataclass(frozen=True)
class Forecasts:
    """`until` is set while others may still forecast, in the time that the document leaves them.

    `sealed` counts every forecast; of a judged claim, those that are not among `told` are hidden.
    """

    until: datetime | None
    sealed: int
    told: Sequence[Told]
    judged: bool
    withdrawn: bool


def forecasts_of(entries: Sequence[Entry]) -> Forecasts:
    """From the claim's entries, the registration first."""
    types = {entry.type for entry in entries}
    made = [entry for entry in entries if entry.type == "forecast"]
    seals = {entry.seq: entry for entry in made if forecasts.is_seal(entry.payload)}
    told = [_told(seals[entry.payload["reveals"]], entry) for entry in made if not forecasts.is_seal(entry.payload)]
    over = bool(types & {"opened", "withdrawn"})
    until = None if over else forecast_window.end_of(entries[0])
    return Forecasts(until, len(seals), told, judged=bool(types & JUDGED), withdrawn="withdrawn" in types)


def _told(seal: Entry, told: Entry) -> Told:
    probability = words.percent(told.payload["probability"])
    return Told(seal.actor, probability, seal.time, seal.seq, told.time, told.seq)
