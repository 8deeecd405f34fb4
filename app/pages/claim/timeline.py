"""How we know it came before: what happened when, each moment with the entry of the log that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    "corrected": ("Corrected", "The ledger computed the evidence anew from the same rows; both values stand."),
    "withdrawn": ("Withdrawn", "Withdrawn by its registrant before any data opened; its text stays."),
    "superseded": ("Superseded", "Its registrant replaced it by another claim."),
    "contradicted": ("Contradicted", "Somebody else set a claim of their own against it."),
    "contested": ("Contested", "A claim that it stands on gave way."),
}
_AGAIN = ("Judged again", "The ledger applied the frozen rule to the corrected evidence.")
_WHY: Mapping[str, str] = {  # what an entry says of its reason, by the name it has there
    "corrected": "cause",
    "withdrawn": "reason",
    "superseded": "reason",
    "contradicted": "reason",
    "reproduced": "why",
}
_OTHER = {"superseded": "by", "contradicted": "by", "reproduced": "by", "contested": "ancestor"}
_AT_ONCE = 0.05  # seconds: below, a tenth of a second would read 0.0
_MACHINERY = ("ledger", "worker")
_AWAITED = ("registered", "opened", "run_ended", "adjudicated")


@dataclass(frozen=True)
class Moment:
    """One step. While it is still to come `seq` and `time` are None; `after` is the span since the step before.

    `who` is the person whose doing it was, `why` the reason given, `other` the claim that the entry names; all three
    are empty where there is none.
    """

    name: str
    says: str
    time: datetime | None
    seq: int | None
    after: str
    who: str = ""
    why: str = ""
    other: str = ""


def timeline(entries: Sequence[Entry]) -> list[Moment]:
    """The claim's entries that tell its life, then the steps that it still awaits."""
    told = [entry for entry in entries if entry.type in _SAID or entry.type == "reproduced"]
    moments = [_moment(entry, told[:index]) for index, entry in enumerate(told)]
    types = {entry.type for entry in told}
    if types & {"adjudicated", "voided", "withdrawn"}:
        return moments
    return moments + [Moment(_SAID[kind][0], "", None, None, "") for kind in _AWAITED if kind not in types]


def _moment(entry: Entry, before: Sequence[Entry]) -> Moment:
    name, says = _told(entry, before)
    return Moment(
        name=name,
        says=says,
        time=entry.time,
        seq=entry.seq,
        after=_span(before[-1].time, entry.time) if before else "",
        who="" if entry.actor in _MACHINERY or entry.type == "registered" else entry.actor,
        why=str(entry.payload[_WHY[entry.type]]) if entry.type in _WHY else "",
        other=str(entry.payload[_OTHER[entry.type]]) if entry.type in _OTHER else "",
    )


def _told(entry: Entry, before: Sequence[Entry]) -> tuple[str, str]:
    if entry.type == "reproduced":
        found = "it agrees" if entry.payload["agrees"] else "it disagrees"
        if entry.payload["kind"] == "reproduction":
            return "Reproduced", f"Measured again independently: {found}."
        return "Run again", f"Measured again, not independently: {found}."
    if entry.type == "adjudicated" and any(one.type == "adjudicated" for one in before):
        return _AGAIN
    return _SAID[entry.type]


def _span(start: datetime, end: datetime) -> str:
    seconds = (end - start).total_seconds()
    return f"{words.duration(seconds)} later" if seconds >= _AT_ONCE else "at once"
