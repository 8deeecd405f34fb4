"""Whether the process is up, and whether what it needs is."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from fastapi import APIRouter, Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import State

from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Answer
from app.dispatch import BrokerUnavailableError, Dispatch
from app.errors import NotReadyError
from app.ledger.database import Ledger
from app.ledger.migrate import other_schema
from claims.flaws import Flaw

router = APIRouter(tags=["health"], dependencies=[STRICT])
log = structlog.get_logger(__name__)
Flaws = Mapping[Flaw, Exception | None]  # what is missing, with the error that says so


class Health(Answer):
    status: str


@router.get("/healthz", summary="Whether the process is up", responses=answers())
def healthz() -> Health:
    """Answers as long as the process does, whatever its servers do."""
    return Health(status="up")


@router.get("/readyz", summary="Whether it can serve", responses=answers(NotReadyError))
def readyz(request: Request) -> Health:
    """Checks that the database is reachable with this version's schema, and that the broker answers."""
    state = request.app.state
    found = {**_database_flaws(state.ledger, state.settings.database_url), **_broker_flaws(state.dispatch)}
    _log_change(state, found)
    if found:
        raise NotReadyError(" ".join(flaw.detail for flaw in found), flaws=list(found))
    return Health(status="ready")


def _log_change(state: State, found: Flaws) -> None:
    """Say once what is missing, and once that it is there again: this is asked by the second."""
    details = [flaw.detail for flaw in found]
    if details == getattr(state, "missing", []):
        return
    state.missing = details
    for flaw, error in found.items():
        log.warning("not ready", why=flaw.detail, remedy=flaw.remedy, exc_info=error)
    if not found:
        log.info("ready again")


def _database_flaws(ledger: Ledger, url: str) -> Flaws:
    try:
        with ledger.begin() as session:  # of the pool that every answer needs
            session.connection()
        found = other_schema(url)
    except SQLAlchemyError as error:
        return {Flaw("", "database", "The database cannot be reached.", "Start it, or correct DATABASE_URL."): error}
    if found is None:
        return {}
    remedy = "Start with DATABASE_OWNER_URL set, so that it is migrated."
    return {Flaw("", "schema", f"The database does not have this version's schema: it has {found}.", remedy): None}


def _broker_flaws(dispatch: Dispatch) -> Flaws:
    try:
        dispatch.ping()
    except BrokerUnavailableError as error:
        remedy = "Start it, or correct REDIS_URL."
        return {Flaw("", "broker", "The broker of the queues cannot be reached.", remedy): error}
    return {}
