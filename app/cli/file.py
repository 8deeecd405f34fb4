"""`antedate file`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.check import chances_of
from app.cli.documents import read_document, schema_of
from app.cli.errors import BadInputError
from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import line, print_json
from app.cli.service import Service
from app.cli.warned import print_warnings
from app.cli.watch import conclude
from claims import forecast_window
from claims.entries import Entry, format_time
from claims.imports import SCHEMA as IMPORTED


def file(
    document: Annotated[
        Path, typer.Argument(metavar="FILE", help="The registration or the record, .yaml, .yml or JSON.")
    ],
    *,
    idempotency_key: Annotated[
        str | None, typer.Option(help="Sending the same file again with the same key gives the first answer again.")
    ] = None,
    then_watch: Annotated[
        bool, typer.Option("--watch", help="Then follow it to its verdict, as `watch` does.")
    ] = False,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """File a prediction from a YAML or JSON file.

    Prints the claim's address and its signed receipt: keep the receipt, it proves what was frozen and when.
    With --json it prints the receipt alone, or with --watch as well the claim as it ended. A published result
    (schema antedate.import/1) is imported instead: it is no claim, so there is nothing to watch.
    """
    body = read_document(document)
    imported = schema_of(body) == IMPORTED
    if imported and then_watch:
        raise BadInputError(f"{document} is a record to import: nothing measures it. Leave --watch out.")
    with connect(url, key) as service:
        if imported:
            _import(service, body, idempotency_key, as_json=as_json)
            return
        receipt = post_prediction(service, body, idempotency_key)
        if not as_json:
            print_receipt(service, receipt)
        elif not then_watch:
            print_json(receipt)
        if then_watch:
            conclude(service, receipt["claim"], as_json=as_json)


def post_prediction(service: Service, body: bytes, idempotency_key: str | None = None) -> dict[str, Any]:
    """File the JSON document `body`; the receipt. Raises RefusedError, `already_filed` among its codes."""
    return _post(service, "/v1/predictions", body, idempotency_key)


def _import(service: Service, body: bytes, idempotency_key: str | None, *, as_json: bool) -> None:
    record = _post(service, "/v1/imports", body, idempotency_key)
    if as_json:
        print_json(record)
        return
    line("record", f"{service.url}{record['page']}")
    line("document", f"sha256:{record['document_sha256']}")
    line("imported", record["imported"])
    line("precedence", record["precedence"])
    line("published as", record["outcome"])


def _post(service: Service, path: str, body: bytes, idempotency_key: str | None) -> dict[str, Any]:
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key is not None else None
    answer: dict[str, Any] = service.post(path, body, "application/json", headers=headers).value
    return answer


def print_receipt(service: Service, receipt: dict[str, Any]) -> None:
    line("claim", f"{service.url}/claims/{receipt['claim']}")
    line("document", f"sha256:{receipt['document_sha256']}")
    line("filed", receipt["filed"])
    line("precedence", receipt["precedence"])
    if until := _window_of(receipt):
        line("forecasts", f"others can forecast it until {until}, and nothing is measured before")
    if chances := chances_of(receipt["check"]):
        line("chances", chances)
    print_warnings(receipt["check"])
    typer.echo()
    typer.echo(receipt["note"].rstrip("\n"))


def _window_of(receipt: dict[str, Any]) -> str | None:
    """Until when it waits for forecasts, by the entry that the receipt holds; None where it need not wait."""
    until = forecast_window.end_of(Entry.from_object(receipt["entry"]["object"]))
    return None if until is None else format_time(until)
