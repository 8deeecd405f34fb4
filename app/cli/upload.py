"""`antedate upload`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.documents import read_bytes
from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import line, print_json


def upload(
    pairs: Annotated[Path, typer.Argument(metavar="FILE", help="Preference pairs, one JSON object a line.")],
    name: Annotated[str, typer.Option(help="What people will call the dataset.")],
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Upload a file of preference pairs.

    Prints the hash that a registration names the dataset by. Uploading the same pairs again changes nothing, and
    the name that they have is told.
    """
    body = read_bytes(pairs)
    with connect(url, key) as service:
        posted = service.post("/v1/datasets", body, "application/jsonl", query={"name": name})
    dataset = posted.value
    if not posted.created:
        typer.echo(
            f"These pairs are on the ledger already, under the name {dataset['name']!r}; nothing changed.", err=True
        )
    if as_json:
        print_json(dataset)
        return
    line("dataset", f"sha256:{dataset['sha256']}")
    line("name", dataset["name"])
    line("pairs", f"{dataset['pairs']} in {dataset['clusters']} clusters")
    for dimension, count in dataset["dimensions"].items():
        line("dimension", f"{dimension} {count}")
