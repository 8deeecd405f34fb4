"""The service: its application, made from settings. Run as `uvicorn app.main:create_app --factory`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from app.api import (
    anchors,
    attempts,
    bundles,
    claims,
    datasets,
    evidence,
    forecasts,
    health,
    imports,
    instruments,
    keys,
    links,
    listing,
    log,
    predictions,
    reproductions,
    runs,
    stats,
    tiles,
)
from app.api.protocol import description, logs, problems
from app.api.protocol.transport import Transport
from app.dispatch import Dispatch
from app.ledger import signing
from app.ledger.bundles import Bundles
from app.ledger.database import Ledger
from app.pages import accounts, views
from app.settings import Settings, SettingsError, read_settings

ROUTERS = (
    health,
    predictions,
    listing,
    claims,
    attempts,
    evidence,
    bundles,
    runs,
    links,
    forecasts,
    keys,
    reproductions,
    imports,
    datasets,
    instruments,
    stats,
    log,
    anchors,
    tiles,
)
CONNECTIONS = 10


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application over the servers that the settings name, by default those of the environment.

    Raises SettingsError where a server is not named: the embedded ones are named by `antedate up`.
    """
    settings = settings or read_settings()
    if settings.database_url is None or settings.redis_url is None:
        raise SettingsError("DATABASE_URL and REDIS_URL are needed here; `antedate up` starts servers and sets them.")
    logs.configure()
    app = FastAPI(
        title="Antedate",
        summary="A preregistration and claims ledger for people who measure models.",
        version=version("antedate"),
        # Its pages would load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        # A redirect to the other spelling of an address would trust the Host header.
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.ledger = Ledger(settings.database_url, pool_size=CONNECTIONS)
    app.state.witnesses = anchors.pinned(settings)
    app.state.signing = signing.load_or_create(settings.signing_key, settings.log_name)
    app.state.bundles = Bundles(app.state.ledger, app.state.signing, settings.checkpoints)
    app.state.dispatch = Dispatch(settings.redis_url)
    for module in ROUTERS:
        app.include_router(module.router)
    app.include_router(views.router)
    app.include_router(accounts.router)
    app.state.error_page = views.error_page
    problems.install(app)
    description.install(app)
    app.add_middleware(Transport, service=app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    app.state.dispatch.close()
    app.state.ledger.dispose()
