"""What forecasts came to: everybody's, or one forecaster's (docs/forecasts.md)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import func
from sqlalchemy import select as rows
from sqlmodel import Session, col

from app.ledger import cursors
from app.ledger.calibration import KNOWN
from app.ledger.cursors import Page
from app.ledger.tables import ClaimRow, ForecastRow
from claims.calibration import Calibration, calibration
from claims.lifecycle import VERDICTS


@dataclass(frozen=True)
class TrackRecord:
    """How somebody's forecasts, or everybody's, came out.

    Of those sealed, `revealed` were told. Of the others `hidden` are those of judged claims: whoever tells only what
    came true shows it there. `waiting` are those of claims that are not judged yet, `withdrawn` those of claims that
    never will be. Of those told, `post_hoc` are of data that was known, where nothing was forecast; `calibration` is of
    the rest.
    """

    sealed: int
    revealed: int
    hidden: int
    waiting: int
    withdrawn: int
    post_hoc: int
    calibration: Calibration


@dataclass(frozen=True)
class _Alike:
    """`count` forecasts with the same probability, None while it is not told, of claims that stand alike."""

    forecaster: str
    probability: float | None
    status: str
    known: bool
    count: int


def track_record(session: Session, forecaster: str | None = None) -> TrackRecord:
    """Over every forecast of this forecaster, or of all."""
    return _record(_alike(session) if forecaster is None else _alike(session, [forecaster]))


def forecasters(session: Session, *, cursor: str | None = None, limit: int = 50) -> Page[tuple[str, TrackRecord]]:
    """Who has sealed a forecast, in the order of their first, each with what theirs came to.

    Raises `RefusedInputError` for a cursor that is none.
    """
    first = func.min(col(ForecastRow.seq))
    query = rows(col(ForecastRow.registrant), first).group_by(col(ForecastRow.registrant)).order_by(first)
    if cursor is not None:
        query = query.having(first > cursors.decode(cursor))
    found = session.execute(query.limit(limit + 1)).all()
    names = [name for name, _ in found[:limit]]
    made = _alike(session, names)
    records = [(name, _record([one for one in made if one.forecaster == name])) for name in names]
    return Page(records, cursors.encode(found[limit - 1][1]) if len(found) > limit else None)


def _alike(session: Session, names: Collection[str] | None = None) -> Sequence[_Alike]:
    """Every forecast of these, or of all, counted by the database."""
    known = col(ClaimRow.precedence) == KNOWN
    alike = (col(ForecastRow.registrant), col(ForecastRow.probability), col(ClaimRow.status), known)
    query = rows(*alike, func.count()).join(ClaimRow, col(ClaimRow.id) == col(ForecastRow.claim)).group_by(*alike)
    if names is not None:
        query = query.where(col(ForecastRow.registrant).in_(names))
    return [_Alike(*found) for found in session.execute(query)]


def _record(made: Sequence[_Alike]) -> TrackRecord:
    untold = [one for one in made if one.probability is None]
    told = [(one.probability, one) for one in made if one.probability is not None]
    foreseen = [(said, one.status) for said, one in told if not one.known for _ in range(one.count)]
    return TrackRecord(
        sealed=_count(made),
        revealed=_count([one for _, one in told]),
        hidden=_count([one for one in untold if one.status in VERDICTS]),
        waiting=_count([one for one in untold if one.status not in {*VERDICTS, "withdrawn"}]),
        withdrawn=_count([one for one in untold if one.status == "withdrawn"]),
        post_hoc=_count([one for _, one in told if one.known]),
        calibration=calibration(foreseen),
    )


def _count(made: Sequence[_Alike]) -> int:
    return sum(one.count for one in made)
