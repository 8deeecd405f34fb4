"""`antedate up`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.documents import read_document
from app.cli.errors import BadInputError, CommandError
from app.cli.example import outcome_of, print_outcome
from app.cli.local_key import ensure_key
from app.cli.options import AsJson
from app.cli.output import line, print_json
from app.cli.service import Service
from app.embedded.errors import EmbeddedError
from app.embedded.stack import Stack, run
from app.settings import SettingsError, read_settings


def up(
    example: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File this registration once it serves, and print how it came out."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start the whole service on this machine and keep it running.

    Postgres, Valkey, the API and the workers run until Ctrl-C, each logging to a file of the data directory.
    DATABASE_URL and REDIS_URL name servers of your own instead.
    """
    document = read_document(example) if example is not None else None
    try:
        run(read_settings(), lambda stack: _serve(stack, document, as_json=as_json))
    except SettingsError as error:
        raise BadInputError(str(error)) from error
    except EmbeddedError as error:
        raise CommandError(str(error)) from error


def _serve(stack: Stack, document: bytes | None, *, as_json: bool) -> None:
    for name in stack.ended:
        typer.echo(f"ended what a killed start had left: {name}", err=True)
    typer.echo(stack.serving, err=True)
    typer.echo(f"data and logs: {stack.directory.root}; stop with Ctrl-C", err=True)
    key = ensure_key(stack.endpoints.database_url, stack.directory.secrets)
    with Service(stack.url, key.token) as service:
        claim = outcome_of(service, document) if document is not None else None
    if as_json:
        print_json({"url": stack.url, "data": str(stack.directory.root), "key": key.shown, "claim": claim})
    elif claim is None:
        line("key", key.shown)
    else:
        print_outcome(stack.url, key.shown, claim)
