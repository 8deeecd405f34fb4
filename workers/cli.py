"""`antedate worker`: run a worker on this machine."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from app.settings import SettingsError

QUEUES = ("cpu", "gpu", "light")
NO_SUCH_QUEUE = "there is no queue {0!r}: a worker takes work from {1}"


def worker(
    queues: Annotated[
        str, typer.Option(help="Queues to take work from, separated by commas: cpu, gpu, light.")
    ] = "cpu,light",
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes side by side. Default: ANTEDATE_WORKER_CONCURRENCY.")
    ] = None,
    beat: Annotated[
        bool, typer.Option("--beat", help="Also run the clock that relays and sweeps; one in the whole service.")
    ] = False,
    loglevel: Annotated[str, typer.Option(help="debug, info, warning or error.")] = "info",
) -> None:
    """Measure claims: take shards from DATABASE_URL as messages on REDIS_URL hint at them.

    Stop it with SIGTERM: it gives back what it has begun, and another worker goes on.
    """
    for name in queues.split(","):
        if name not in QUEUES:
            raise typer.BadParameter(NO_SUCH_QUEUE.format(name, ", ".join(QUEUES)), param_hint="--queues")
    # Read when Celery is imported: SIGTERM then gives running work back instead of waiting for its end.
    os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
    try:
        from workers.celery_app import app  # noqa: PLC0415 - after the line above
        from workers.process import settings  # noqa: PLC0415 - with the rest of the worker
    except SettingsError as error:
        typer.echo(f"antedate: {error}", err=True)
        raise typer.Exit(1) from error

    children = concurrency or settings().worker_concurrency
    arguments = ["worker", "--queues", queues, "--concurrency", str(children), "--loglevel", loglevel]
    clock = ["--beat", "--scheduler", "celery.beat:Scheduler"] if beat else []
    app.worker_main([*arguments, *clock, "--without-gossip", "--without-mingle"])
