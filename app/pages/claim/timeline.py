"""How we know it came before: what happened when, each moment with the entry of the log that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.pages import words
from claims.entries import Entry

_SAID = {
    "registered": (
        "Frozen",
        "The document was hashed, logged and its receipt signed; nothing had been measured for it.",
    ),
    "opened": ("Opened", "The first worker started and the nonce was revealed. Data may exist from here on."),
    "run_ended": ("Measured", "The instrument finished."),
    "adjudicated": ("Judged", "The ledger applied the frozen rule to the evidence."),
    "voided": ("Voided", "The run ended without evidence to judge."),
    "refused": ("Refused", "The instrument said that it cannot measure this."),
    "corrected": ("Corrected", "The evidence was computed anew, with its cause; both values stand."),
    "withdrawn": ("Withdrawn", "Withdrawn by its registrant before any data opened; its text stays."),
    "superseded": ("Superseded", "Its registrant replaced it by another claim."),
    "contradicted": ("Contradicted", "Somebody else filed a claim against it."),
    "contested": ("Contested", "A claim that it builds on fell."),
    "reproduced": ("Reproduced", "The same registration was measured again."),
}
_AT_ONCE = 0.05  # seconds: below, a tenth of a second would read 0.0
_AWAITED = ("registered", "opened", "run_ended", "adjudicated")


@dataclass(frozen=True)
class Moment:
    """One step. While it is still to come `seq` and `time` are None; `after` is the span since the step before."""

    name: str
    says: str
    time: datetime | None
    seq: int | None
    after: str


def timeline(entries: Sequence[Entry]) -> list[Moment]:
    """The claim's entries that tell its life, then the steps that it still awaits."""
    told = [entry for entry in entries if entry.type in _SAID]
    before = [None, *told]
    moments = [_moment(entry, previous) for entry, previous in zip(told, before, strict=False)]
    types = {entry.type for entry in told}
    if types & {"adjudicated", "voided", "withdrawn"}:
        return moments
    return moments + [Moment(_SAID[kind][0], "", None, None, "") for kind in _AWAITED if kind not in types]


def _moment(entry: Entry, previous: Entry | None) -> Moment:
    name, says = _SAID[entry.type]
    return Moment(name, says, entry.time, entry.seq, _span(previous.time, entry.time) if previous else "")


def _span(start: datetime, end: datetime) -> str:
    seconds = (end - start).total_seconds()
    return f"{words.duration(seconds)} later" if seconds >= _AT_ONCE else "at once"
