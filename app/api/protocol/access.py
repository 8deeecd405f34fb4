"""Who asks: API keys and their scopes. Reading is public; every route that writes names the scope it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.errors import ScopeMissingError, UnauthenticatedError
from app.ledger.database import Ledger
from app.ledger.registrants import Caller, authenticate
from app.settings import Settings

BEARER = HTTPBearer(
    scheme_name="key", bearerFormat="ant_…", description="An API key, `ant_` and 43 characters.", auto_error=False
)


def ledger_of(request: Request) -> Ledger:
    ledger: Ledger = request.app.state.ledger
    return ledger


TheLedger = Annotated[Ledger, Depends(ledger_of)]


def settings_of(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


TheSettings = Annotated[Settings, Depends(settings_of)]


def caller_of(
    ledger: TheLedger, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]
) -> Caller:
    """Whoever holds the key of the Authorization header; raises UnauthenticatedError."""
    if credentials is None:
        raise UnauthenticatedError("The request carries no `Authorization: Bearer` header.")
    with ledger.begin() as session:
        caller = authenticate(session, credentials.credentials)
    if caller is None:
        raise UnauthenticatedError("The API key is not one of this service, or it was revoked.")
    return caller


def may(scope: str) -> Callable[[Caller], Caller]:
    """A dependency that gives the caller, who holds `scope`; raises ScopeMissingError otherwise."""

    def permitted(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
        if scope not in caller.scopes:
            raise ScopeMissingError(scope, sorted(caller.scopes))
        return caller

    return permitted


Filer = Annotated[Caller, Depends(may("file"))]
Importer = Annotated[Caller, Depends(may("import"))]
