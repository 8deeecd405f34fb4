"""`antedate list`."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app.cli.local import connect
from app.cli.options import AsJson, Key, Url
from app.cli.output import print_json, progress_console, result_console
from app.cli.output import status as status_words

Several = Annotated[list[str] | None, typer.Option(help="May be given several times, or hold commas.")]


def list_claims(
    *,
    status: Several = None,
    superseded: Annotated[bool | None, typer.Option(help="Only claims that were, or were not, superseded.")] = None,
    contested: Annotated[bool | None, typer.Option(help="Only claims that are, or are not, contested.")] = None,
    refuted_or_superseded: Annotated[
        bool | None, typer.Option(help="Only claims that did not hold or were replaced, or only the others.")
    ] = None,
    overdue: Annotated[
        bool | None, typer.Option(help="Only claims that wait longer than they should, or only the others.")
    ] = None,
    model: Several = None,
    instrument: Several = None,
    metric: Several = None,
    registrant: Several = None,
    precedence: Several = None,
    dataset: Several = None,
    dimension: Several = None,
    filed_from: Annotated[str | None, typer.Option(help="A date, or a time with its offset, from which on.")] = None,
    filed_before: Annotated[str | None, typer.Option(help="The first moment that is no longer meant.")] = None,
    estimate_min: Annotated[float | None, typer.Option(help="Of a hypothesis, on --metric where it is given.")] = None,
    estimate_max: Annotated[float | None, typer.Option(help="Of the same hypothesis.")] = None,
    lo_min: Annotated[float | None, typer.Option(help="Of the same: the lower bound of its interval.")] = None,
    hi_max: Annotated[float | None, typer.Option(help="Of the same: the upper bound of its interval.")] = None,
    q: Annotated[str | None, typer.Option("--q", help="Words in title, statement and rationale.")] = None,
    limit: Annotated[int, typer.Option(help="Claims at a time, 1 to 200.", min=1, max=200)] = 50,
    cursor: Annotated[str | None, typer.Option(help="Where the page before ended.")] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """List claims, newest first."""
    several = {
        "status": status,
        "model": model,
        "instrument": instrument,
        "metric": metric,
        "registrant": registrant,
        "precedence": precedence,
        "dataset": dataset,
        "dimension": dimension,
    }
    flags = {
        "superseded": superseded,
        "contested": contested,
        "refuted_or_superseded": refuted_or_superseded,
        "overdue": overdue,
    }
    query: dict[str, Any] = {name: values for name, values in several.items() if values}
    query |= {name: str(flag).lower() for name, flag in flags.items() if flag is not None}
    single: dict[str, object] = {
        "filed_from": filed_from,
        "filed_before": filed_before,
        "estimate_min": estimate_min,
        "estimate_max": estimate_max,
        "lo_min": lo_min,
        "hi_max": hi_max,
        "q": q,
        "cursor": cursor,
    }
    query |= {name: value for name, value in single.items() if value is not None}
    with connect(url, key) as service:
        page = service.get("/v1/claims", {**query, "limit": limit})
    if as_json:
        print_json(page)
    else:
        _print_page(page)


def _print_page(page: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("claim", "status", "filed", "instrument", "title"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "claim")
    for claim in page["items"]:
        instrument = Text(claim["instrument"])
        table.add_row(
            Text(claim["id"]), status_words(claim), claim["filed"][:16] + "Z", instrument, Text(claim["title"])
        )
    if not page["items"]:
        progress_console().print("No claim matches.")
        return
    result_console().print(table)
    if page["next"]:
        progress_console().print(f"There are more: antedate list --cursor {page['next']}", soft_wrap=True)
