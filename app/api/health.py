"""Whether the process is up, and whether what it needs is."""

from __future__ import annotations

import structlog
from fastapi import APIRouter, Request
from sqlalchemy.exc import SQLAlchemyError

from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Answer
from app.dispatch import BrokerUnavailableError, Dispatch
from app.errors import NotReadyError
from app.ledger.database import Ledger
from app.ledger.migrate import is_current
from claims.flaws import Flaw

router = APIRouter(tags=["health"], dependencies=[STRICT])
log = structlog.get_logger(__name__)


class Health(Answer):
    status: str


@router.get("/healthz", summary="Whether the process is up", responses=answers())
def healthz() -> Health:
    """Answers as long as the process does, whatever its servers do."""
    return Health(status="up")


@router.get("/readyz", summary="Whether it can serve", responses=answers(NotReadyError))
def readyz(request: Request) -> Health:
    """Checks that the database is reachable with this version's schema, and that the broker answers."""
    flaws = [
        *_database_flaws(request.app.state.ledger, request.app.state.settings.database_url),
        *_broker_flaws(request.app.state.dispatch),
    ]
    if flaws:
        raise NotReadyError(" ".join(flaw.detail for flaw in flaws), flaws=flaws)
    return Health(status="ready")


def _database_flaws(ledger: Ledger, url: str) -> list[Flaw]:
    try:
        with ledger.begin() as session:  # of the pool that every answer needs
            session.connection()
        if is_current(url):
            return []
    except SQLAlchemyError as error:
        log.warning("database not reachable", exc_info=error)
        return [Flaw("", "database", "The database cannot be reached.", "Start it, or correct DATABASE_URL.")]
    remedy = "Start with DATABASE_OWNER_URL set, so that it is migrated."
    return [Flaw("", "schema", "The database does not have this version's schema.", remedy)]


def _broker_flaws(dispatch: Dispatch) -> list[Flaw]:
    try:
        dispatch.ping()
    except BrokerUnavailableError as error:
        log.warning("broker not reachable", exc_info=error)
        return [Flaw("", "broker", "The broker of the queues cannot be reached.", "Start it, or correct REDIS_URL.")]
    return []
