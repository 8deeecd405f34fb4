"""`antedate check`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app.cli.documents import read_document, schema_of
from app.cli.errors import BadInputError
from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import line, number, prediction, print_json, result_console
from app.cli.service import Service
from app.cli.warned import print_warnings
from claims.imports import SCHEMA as IMPORTED

UNKNOWN = "—"
HEADINGS = ("", "predicted", "n", "assumed", "confirmed", "refuted", "undecided", "detectable", "n that decides")


def check(
    document: Annotated[Path, typer.Argument(metavar="FILE", help="The registration, .yaml, .yml or JSON.")],
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Check a design before it is filed: what can it decide? Nothing is recorded.

    Prints, for each hypothesis, how often it would be confirmed, refuted or left undecided if what the document
    assumes is so, what is detectable, and how many units would decide; then what filing would say, and every warning.
    """
    body = read_document(document)
    if schema_of(body) == IMPORTED:
        raise BadInputError(f"{document} is a record to import: it predicts nothing that a design could decide.")
    with connect(url, key) as service:
        answer = service.post("/v1/predictions:check", body, "application/json").value
        if as_json:
            print_json(answer)
        else:
            print_design(service, answer, json.loads(body)["hypotheses"])


def print_design(service: Service, answer: Mapping[str, Any], hypotheses: list[Mapping[str, Any]]) -> None:
    """What the design check answered, for people; `hypotheses` are the document's."""
    said = answer["check"]
    if answer["duplicate_of"]:
        line("already filed", f"{service.url}/claims/{answer['duplicate_of']}")
        typer.echo()
    result_console().print(prospects_table(said, hypotheses))
    typer.echo()
    for found in said["hypotheses"]:
        if found["note"]:
            line(found["id"], found["note"])
    if chances := chances_of(said):
        line("claim", chances)
    line("precedence", f"{answer['precedence']}: {said['reachable']['why']}")
    line("trust", f"up to {said['reachable']['trust']}")
    line("cost", _cost(said, answer["shards"]))
    print_warnings(said)


def prospects_table(said: Mapping[str, Any], hypotheses: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    for found, hypothesis in zip(said["hypotheses"], hypotheses, strict=True):
        detectable = found["detectable"]
        table.add_row(
            Text(found["id"] + ("" if hypothesis["primary"] else " (secondary)")),
            Text(prediction(hypothesis)),
            UNKNOWN if found["n"] is None else f"{found['n']} {found['unit']}s",
            _figure(found["assumed"]),
            *(percent(found[word]) for word in ("power", "refuted", "inconclusive")),
            UNKNOWN if detectable is None else f"{number(detectable['value'])} ({number(detectable['effect'])} away)",
            _figure(found["smallest_n"]),
        )
    return table


def chances_of(said: Mapping[str, Any]) -> str | None:
    """What the claim as a whole has to expect, on one line; None where nothing is assumed."""
    claim = said.get("claim")
    if not claim or claim["confirmed"] is None:
        return None
    words = (("confirmed", "confirmed"), ("refuted", "refuted"), ("inconclusive", "undecided"), ("void", "void"))
    parts = [f"{word} {percent(claim[name])}" for name, word in words if name != "void" or claim[name]]
    return ", ".join(parts) + ", if what is assumed is so"


def _cost(said: Mapping[str, Any], shards: int) -> str:
    cost, mib = said["cost"], 2**20
    waiting = f"queue {said['queue']}, {said['waiting']:,} shards before it"
    if cost is None:
        return f"not known; {waiting}"
    memory = f"{cost['memory_bytes'] // mib:,} MiB"
    taken = f"{cost['forwards']:,} forwards, {number(cost['seconds'])} s on one core, {memory}"
    return f"{taken}, in {shards:,} shards; {waiting}"


def percent(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share:.0%}"


def _figure(value: float | None) -> str:
    return UNKNOWN if value is None else number(value)
