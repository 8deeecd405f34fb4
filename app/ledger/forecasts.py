"""What others say of a claim before it opens: sealed in time, told after, and held to what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session, col, select

from app.ledger import log
from app.ledger.append import append, lock
from app.ledger.errors import TooLateError, UnknownClaimError
from app.ledger.tables import ClaimRow, ForecastRow
from claims import forecasts
from claims.entries import Entry, format_time
from claims.lifecycle import ClaimState, fold


class OwnClaimError(Exception):
    """Whoever filed a claim states their probability in it, and does not forecast it beside."""


class AlreadyForecastError(Exception):
    """The forecaster has sealed, or told, something else already; the text says at which entry."""


class TooEarlyError(Exception):
    """What was sealed is not told before the claim is opened: others may still forecast."""


class NoForecastError(LookupError):
    """The forecaster sealed nothing of this claim."""


class MismatchError(ValueError):
    """What is told is not what was sealed."""


def seal(session: Session, claim: str, forecaster: str, sealed: str) -> Entry:
    """Record that the forecaster holds to what `sealed` is the seal of; one for each claim, before it is opened.

    The same seal again gives its first entry, whenever it comes: whoever lost the answer may ask once more.
    """
    state = _state(session, claim)
    if forecaster == state.registrant:
        raise OwnClaimError(f"you filed claim {claim}")
    if state.reproduces is not None:
        raise TooLateError(claim, f"it measures again what claim {state.reproduces} froze: forecast that one")
    known = forecasts.by(state.forecasts, forecaster)
    if known is not None and known.sealed == sealed:
        return _entry(session, claim, known.seq)
    if known is not None:
        raise AlreadyForecastError(f"you sealed a forecast of claim {claim} already, at entry {known.seq}")
    if state.opened is not None or state.withdrawn is not None:
        raise TooLateError(claim, "it was withdrawn" if state.opened is None else "it is open, so data may exist")
    return append(session, "forecast", claim, forecaster, {"sealed": sealed})


def reveal(session: Session, claim: str, forecaster: str, probability: float, salt: bytes) -> Entry:
    """Record what the forecaster had sealed, once the claim is open; nothing is recorded of what was not sealed.

    What is told already, told again, gives its first entry.
    """
    state = _state(session, claim)
    known = forecasts.by(state.forecasts, forecaster)
    if known is None:
        raise NoForecastError(f"you sealed no forecast of claim {claim}")
    if state.withdrawn is not None:
        raise TooLateError(claim, "it was withdrawn, and never opens")
    if state.opened is None:
        due = "" if state.not_before is None else f", and opens no earlier than {format_time(state.not_before)}"
        raise TooEarlyError(f"it is not open yet{due}")
    found = forecasts.seal(claim, forecaster, probability, salt)
    if found != known.sealed:
        raise MismatchError(f"they give the seal {found}, and at entry {known.seq} you sealed {known.sealed}")
    if known.revealed is not None:
        return _entry(session, claim, known.revealed)
    told = {"reveals": known.seq, "probability": probability, "salt": salt.hex()}
    return append(session, "forecast", claim, forecaster, told)


def of_claim(session: Session, claim: str) -> Sequence[ForecastRow]:
    """Every forecast of the claim in the order in which they were sealed. Raises `UnknownClaimError`."""
    _require_claim(session, claim)
    query = select(ForecastRow).where(ForecastRow.claim == claim).order_by(col(ForecastRow.seq))
    return session.exec(query.execution_options(populate_existing=True)).all()


def _entry(session: Session, claim: str, seq: int) -> Entry:
    """The claim's entry of this seq, which it has."""
    return next(entry for entry in log.history(session, claim) if entry.seq == seq)


def _require_claim(session: Session, claim: str) -> None:
    if session.exec(select(ClaimRow.id).where(ClaimRow.id == claim)).one_or_none() is None:
        raise UnknownClaimError(claim)


def _state(session: Session, claim: str) -> ClaimState:
    """The claim as it stands; under the log's lock, so that it is not opened between the asking and the entry."""
    lock(session)
    _require_claim(session, claim)
    state = fold(log.history(session, claim))
    assert state is not None, "a claim has its entries"
    return state
