"""`antedate upload`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.documents import read_bytes
from app.cli.errors import BadInputError
from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import line, print_json
from claims.diagnostic import diagnostic_bytes

SHIPPED = "diagnostic"


def upload(
    *,
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Preference pairs, one JSON object a line; the word diagnostic: the set we ship."
        ),
    ],
    name: Annotated[
        str | None, typer.Option(help="What people will call the dataset. Needed, but for diagnostic.")
    ] = None,
    dimension: Annotated[str | None, typer.Option(help="The dimension of every line that names none.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Upload a file of preference pairs.

    `antedate upload diagnostic` uploads the set that Antedate ships; a file of that name is ./diagnostic. Exports of
    Hugging Face are taken too. Prints the hash that a registration names the dataset by, and warns of pairs that say
    nearly the same. Uploading the same pairs again changes nothing, and the name that they have is told.
    """
    body, called = _read(pairs, name)
    query = {"name": called, **({} if dimension is None else {"dimension": dimension})}
    with connect(url, key) as service:
        posted = service.post("/v1/datasets", body, "application/jsonl", query=query)
    dataset = posted.value
    if not posted.created:
        typer.echo(
            f"These pairs are on the ledger already, under the name {dataset['name']!r}; nothing changed.", err=True
        )
    _warn(dataset["near_duplicates"])
    if as_json:
        print_json(dataset)
        return
    line("dataset", f"sha256:{dataset['sha256']}")
    line("name", dataset["name"])
    line("pairs", f"{dataset['pairs']} in {dataset['clusters']} clusters")
    for dimension_of_it, count in dataset["dimensions"].items():
        line("dimension", f"{dimension_of_it} {count}")


def _read(pairs: str, name: str | None) -> tuple[bytes, str]:
    """The bytes to send, and the dataset's name."""
    if pairs == SHIPPED:
        if Path(SHIPPED).exists():
            typer.echo(f"Uploading the set that Antedate ships; the file here is ./{SHIPPED}.", err=True)
        return diagnostic_bytes(), SHIPPED if name is None else name
    if name is None:
        raise BadInputError(f"{pairs} needs a name: say with --name what people will call the dataset.")
    return read_bytes(Path(pairs)), name


def _warn(near_duplicates: Mapping[str, Any] | None) -> None:
    if near_duplicates is None:
        told = "Near-duplicates were not looked for: the pairs have too much text in common to compare them in time."
        typer.echo(told, err=True)
    elif near_duplicates["groups"]:
        count, groups = near_duplicates["groups"], near_duplicates["first"]
        typer.echo(
            f"Warning: {near_duplicates['pairs']} pairs say nearly the same as another, in {count} "
            f"group{'s' * (count > 1)}. Are they independent? If not, give those of a group one `cluster`. The first:",
            err=True,
        )
        for group in groups:
            typer.echo(f"  {', '.join(group)}", err=True)
