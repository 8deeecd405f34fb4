"""Claims that were frozen and never opened, though they could have been long ago.

Asked with the database's time whenever it matters: no projection holds it, because no entry of the log says it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from sqlalchemy import ColumnElement, Interval, func, literal
from sqlmodel import Session, col, select

from app.ledger.tables import ClaimRow


def is_overdue(hours: int) -> ColumnElement[bool]:
    """Whether a claim still waits `hours` after it might have been opened, which is when its forecasts end."""
    waits = (col(ClaimRow.forecast_hours) + hours) * literal(timedelta(hours=1), Interval)
    return (col(ClaimRow.status) == "registered") & (col(ClaimRow.filed) + waits < func.now())


def among(session: Session, claims: Collection[str], hours: int) -> set[str]:
    """Which of these claims are overdue."""
    return set(session.exec(select(ClaimRow.id).where(col(ClaimRow.id).in_(claims), is_overdue(hours))))


def count(session: Session, hours: int) -> int:
    """How many claims are overdue."""
    return session.exec(select(func.count()).select_from(ClaimRow).where(is_overdue(hours))).one()
