"""How people name a claim: by its id, or by the address of its page, as `file` and `show` print it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from app.cli.errors import BadInputError
from app.cli.local import connect
from app.cli.service import Service

CLAIM = re.compile(r"[a-z0-9]{12,20}")
Claim = Annotated[str, typer.Argument(help="The claim's id, or the address of its page.")]


@contextmanager
def service_of(claim: str, url: str | None, key: str | None) -> Iterator[tuple[Service, str]]:
    """The service that `connect` gives, and the claim's id there.

    Raises BadInputError for what names no claim, before anything is sent, and for a page of another service.
    """
    origin, name = _parts(claim)
    with connect(url, key) as service:
        if origin not in {"", service.url}:
            raise BadInputError(f"{claim} is not a page of {service.url}: name its service with --url {origin}.")
        yield service, name


def _parts(claim: str) -> tuple[str, str]:
    """What stands before /claims/ in an address, or nothing, and the id."""
    origin, _, name = claim.rpartition("/claims/")
    if not CLAIM.fullmatch(name):
        raise BadInputError(
            f"{claim!r} names no claim: give its id, 12 to 20 of a-z and 0-9, or the address of its page, "
            "http…/claims/<id>."
        )
    return origin, name
