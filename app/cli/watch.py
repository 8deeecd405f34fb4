"""`antedate watch`."""

from __future__ import annotations

from typing import Any

import typer

from app.cli.errors import OUTCOME_CODES
from app.cli.naming import Claim, service_of
from app.cli.options import AsJson, Key, Url
from app.cli.output import print_json, progress_console
from app.cli.progress import follow
from app.cli.service import Service
from app.cli.show import print_claim


def watch(
    claim: Claim,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Follow a claim to its verdict.

    Ends with 0 when the claim is confirmed, 10 refuted, 11 inconclusive, 12 void, 13 withdrawn.
    """
    with service_of(claim, url, key) as (service, name):
        conclude(service, name, as_json=as_json)


def conclude(service: Service, claim: str, *, as_json: bool) -> None:
    """Wait for the claim's end, print it, and exit with the code of its outcome."""
    found: dict[str, Any] = follow(service, claim, progress_console())
    if as_json:
        print_json(found)
    else:
        print_claim(service, found)
    raise typer.Exit(OUTCOME_CODES[found["status"]])
