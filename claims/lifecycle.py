"""A claim's life as a fold over its log entries: which may follow which, and what is known after each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from claims import anchored_round, forecast_window, forecasts
from claims.anchored_round import AnchoredRound
from claims.beacon import InvalidBeaconError
from claims.entries import Entry, format_time
from claims.forecast_window import InvalidWindowError
from claims.forecasts import Forecast, InvalidForecastError
from claims.precedence import precedence_once_opened
from claims.reproduction import KINDS

CLAIM_STATUSES = ("registered", "running", "confirmed", "refuted", "inconclusive", "void", "withdrawn")
VERDICTS = ("confirmed", "refuted", "inconclusive", "void")
DECIDED = ("confirmed", "refuted", "inconclusive")
_NONCE = re.compile(r"[0-9a-f]{64}")


class IllegalStepError(ValueError):
    """An entry that cannot follow what the log already says of its claim."""


@dataclass(frozen=True)
class RunState:
    """What the log says of one run: `ended`, with evidence, or closed without any."""

    id: str
    ended: bool = False
    evidence_sha256: str | None = None
    void_reason: str | None = None
    refused: bool = False


@dataclass(frozen=True)
class ClaimState:
    """A claim after some entries. `run` is the deciding run, the first opened; `judgements` every verdict in order.

    `reproduced_by` are all claims that it was compared with, `reproduced` says that one of them is independent. Before
    `not_before` no run opens, so that others can forecast; None where the document asks for no such time.
    """

    id: str
    status: str
    document_sha256: str
    nonce_sha256: str
    registrant: str
    precedence: str
    filed: datetime
    seq: int
    registered: int
    reproduces: str | None = None
    not_before: datetime | None = None
    opened: datetime | None = None
    judged: datetime | None = None
    run: str | None = None
    runs: tuple[RunState, ...] = ()
    judgements: tuple[str, ...] = ()
    correcting: bool = False
    superseded_by: str | None = None
    superseded: datetime | None = None
    withdrawn: datetime | None = None
    contested: bool = False
    contradicted_by: tuple[str, ...] = ()
    reproduced_by: tuple[str, ...] = ()
    reproduced: bool = False
    corrected: bool = False
    forecasts: tuple[Forecast, ...] = ()


def fold(entries: Iterable[Entry]) -> ClaimState | None:
    """The state after one claim's entries, in order of seq; None when there are none."""
    state: ClaimState | None = None
    for entry in entries:
        state = step(state, entry)
    return state


def step(state: ClaimState | None, entry: Entry) -> ClaimState:
    """The state after `entry`; raises `IllegalStepError` when it cannot follow. Pure."""
    try:
        if state is None:
            return _first(entry)
        _require(entry.type != "registered", entry, "a claim is registered once")
        _require(entry.claim == state.id, entry, f"it concerns claim {entry.claim}, not {state.id}")
        _require(entry.seq > state.seq, entry, f"it does not come after entry {state.seq}")
        return replace(_STEPS.get(entry.type, _unchanged)(state, entry), seq=entry.seq)
    except KeyError as error:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: its payload lacks {error}") from error


def _require(holds: bool, entry: Entry, why: str) -> None:
    if not holds:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: {why}")


def _first(entry: Entry) -> ClaimState:
    _require(entry.type == "registered", entry, f"claim {entry.claim} is not registered")
    _require(entry.claim is not None, entry, "a registration has a claim id")
    payload = entry.payload
    _require(payload.get("reproduces") != entry.claim, entry, "a claim does not reproduce itself")
    return ClaimState(
        id=str(entry.claim),
        status="registered",
        document_sha256=payload["document_sha256"],
        nonce_sha256=payload["nonce_sha256"],
        registrant=entry.actor,
        precedence=payload["precedence"],
        filed=entry.time,
        seq=entry.seq,
        registered=entry.seq,
        reproduces=payload.get("reproduces"),
        not_before=_not_before(entry),
    )


def _not_before(entry: Entry) -> datetime | None:
    try:
        return forecast_window.end_of(entry)
    except InvalidWindowError as error:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: {error}") from error


def _opened(state: ClaimState, entry: Entry) -> ClaimState:
    run, nonce = entry.payload["run"], entry.payload["nonce"]
    _require(state.status != "withdrawn", entry, "the claim was withdrawn")
    _require(all(run != known.id for known in state.runs), entry, f"run {run} is open already")
    if state.not_before is not None:
        still = f"forecasts are taken until {format_time(state.not_before)}"
        _require(entry.time >= state.not_before, entry, still)
    runs = (*state.runs, RunState(run))
    if state.run is not None:  # a rerun: its nonce is its own, and it decides nothing
        return replace(state, runs=runs)
    _require(_commits(state.nonce_sha256, nonce), entry, "the nonce is not the one committed to at filing")
    precedence = precedence_once_opened(state.precedence, state.registered, _beacon(entry))
    return replace(state, status="running", opened=entry.time, run=run, runs=runs, precedence=precedence)


def _beacon(entry: Entry) -> AnchoredRound | None:
    """The beacon round that was mixed in, if any; that its group signed it is checked by those who open and verify."""
    try:
        return None if entry.payload["beacon"] is None else anchored_round.read(entry.payload["beacon"])
    except InvalidBeaconError as error:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: {error}") from error


def _run_ended(state: ClaimState, entry: Entry) -> ClaimState:
    run = _run(state, entry)
    _require(not run.ended, entry, f"run {run.id} has ended already")
    return _with_run(state, replace(run, ended=True))


def _evidence_recorded(state: ClaimState, entry: Entry) -> ClaimState:
    run = _run(state, entry)
    _require(run.evidence_sha256 is None, entry, f"run {run.id} has its evidence already")
    _require(run.void_reason is None, entry, f"run {run.id} is void")
    return _with_run(state, replace(run, evidence_sha256=entry.payload["evidence_sha256"]))


def _refused(state: ClaimState, entry: Entry) -> ClaimState:
    run = _run(state, entry)
    _require(not run.refused, entry, f"run {run.id} was refused already")
    _require(run.evidence_sha256 is None, entry, f"run {run.id} has evidence: its instrument did not refuse")
    return _with_run(state, replace(run, refused=True))


def _adjudicated(state: ClaimState, entry: Entry) -> ClaimState:
    run, status = _run(state, entry), entry.payload["status"]
    _require(run.id == state.run, entry, f"run {state.run} decides, not {run.id}")
    _require(run.evidence_sha256 is not None, entry, f"run {run.id} has no evidence")
    _require(not state.judgements or state.correcting, entry, "it is judged already, and no correction was recorded")
    _require(status in VERDICTS, entry, f"{status} is no verdict")
    return _judged(state, entry, status)


def _voided(state: ClaimState, entry: Entry) -> ClaimState:
    run = _run(state, entry)
    _require(run.void_reason is None, entry, f"run {run.id} is void already")
    _require(run.evidence_sha256 is None, entry, f"run {run.id} has evidence, which is adjudicated")
    state = _with_run(state, replace(run, ended=True, void_reason=entry.payload["reason"]))
    return _judged(state, entry, "void") if run.id == state.run else state


def _corrected(state: ClaimState, entry: Entry) -> ClaimState:
    run = _run(state, entry)
    _require(run.id == state.run, entry, f"run {state.run} decides, not {run.id}")
    _require(run.evidence_sha256 is not None, entry, f"run {run.id} has no evidence to judge again")
    _require(bool(state.judgements) and not state.correcting, entry, "there is no verdict to correct")
    state = _with_run(state, replace(run, evidence_sha256=entry.payload["evidence_sha256"]))
    return replace(state, correcting=True, corrected=True)


def _superseded(state: ClaimState, entry: Entry) -> ClaimState:
    by = entry.payload["by"]
    _require(by != state.id, entry, "a claim does not supersede itself")
    _require(state.superseded_by is None, entry, f"it is superseded by {state.superseded_by} already")
    return replace(state, superseded_by=by, superseded=entry.time)


def _withdrawn(state: ClaimState, entry: Entry) -> ClaimState:
    _require(state.status == "registered", entry, f"only before opening can a claim be withdrawn; it is {state.status}")
    return replace(state, status="withdrawn", withdrawn=entry.time)


def _contested(state: ClaimState, _entry: Entry) -> ClaimState:
    return replace(state, contested=True)


def _contradicted(state: ClaimState, entry: Entry) -> ClaimState:
    by = entry.payload["by"]
    _require(by != state.id, entry, "a claim does not contradict itself")
    _require(by not in state.contradicted_by, entry, f"it is contradicted by {by} already")
    return replace(state, contradicted_by=(*state.contradicted_by, by))


def _reproduced(state: ClaimState, entry: Entry) -> ClaimState:
    by, kind = entry.payload["by"], entry.payload["kind"]
    _require(by != state.id, entry, "a claim does not reproduce itself")
    _require(kind in KINDS, entry, f"{kind} is neither a reproduction nor a rerun")
    _require(state.status in DECIDED, entry, f"it is {state.status}: there is nothing to compare with")
    known = () if by in state.reproduced_by else (by,)  # compared again after a correction
    independent = state.reproduced or kind == "reproduction"
    return replace(state, reproduced_by=(*state.reproduced_by, *known), reproduced=independent)


def _forecast(state: ClaimState, entry: Entry) -> ClaimState:
    if forecasts.is_seal(entry.payload):
        _require(state.reproduces is None, entry, f"it measures again what {state.reproduces} froze: forecast that one")
        _require(entry.actor != state.registrant, entry, "a claim is forecast by others than its registrant")
        _require(state.status == "registered", entry, f"only before opening is a claim forecast; it is {state.status}")
    else:
        _require(state.opened is not None, entry, "what was sealed is told once the claim is opened")
    try:
        return replace(state, forecasts=forecasts.after(state.forecasts, entry))
    except InvalidForecastError as error:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: {error}") from error


def _unchanged(state: ClaimState, _entry: Entry) -> ClaimState:
    return state


def _judged(state: ClaimState, entry: Entry, status: str) -> ClaimState:
    return replace(state, status=status, judged=entry.time, judgements=(*state.judgements, status), correcting=False)


def _commits(nonce_sha256: str, nonce: str) -> bool:
    """Whether `nonce` is 32 bytes in lower-case hex whose SHA-256 was logged."""
    return _NONCE.fullmatch(nonce) is not None and hashlib.sha256(bytes.fromhex(nonce)).hexdigest() == nonce_sha256


def _run(state: ClaimState, entry: Entry) -> RunState:
    name = entry.payload["run"]
    run = next((known for known in state.runs if known.id == name), None)
    if run is None:
        raise IllegalStepError(f"{entry.type} at {entry.seq}: run {name} was never opened")
    return run


def _with_run(state: ClaimState, run: RunState) -> ClaimState:
    return replace(state, runs=tuple(run if known.id == run.id else known for known in state.runs))


_STEPS: Mapping[str, Callable[[ClaimState, Entry], ClaimState]] = MappingProxyType(
    {
        "forecast": _forecast,
        "opened": _opened,
        "run_ended": _run_ended,
        "evidence_recorded": _evidence_recorded,
        "refused": _refused,
        "adjudicated": _adjudicated,
        "voided": _voided,
        "corrected": _corrected,
        "superseded": _superseded,
        "withdrawn": _withdrawn,
        "contested": _contested,
        "contradicted": _contradicted,
        "reproduced": _reproduced,
    }
)
