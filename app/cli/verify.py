"""`antedate verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.cli.anchored import read_believed
from app.cli.errors import BadInputError
from app.cli.fetching import MEBIBYTE, fetch
from app.cli.options import AsJson, Key, Url
from app.cli.output import print_json, progress_console, result_console
from app.cli.remembered import STATE, Memory, state_directory
from app.cli.verification import Asked, verified
from claims.signed_note import InvalidNoteError, name_of
from claims.verifying import Line

FAILED, UNCHECKED = 7, 8
LARGEST_MEBIBYTES = 1024
STATES = {"ok": ("ok", "green"), "failed": ("FAILED", "bold red"), "not checked": ("NOT CHECKED", "yellow")}


def verify(
    *,
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE|URL", help="A bundle's file, a claim's address, or its id.")],
    vkey: Annotated[
        str | None, typer.Option(help="The log's key as you know it; absent: the one that this client remembers.")
    ] = None,
    since: Annotated[
        Path | None, typer.Option(help="A checkpoint that you kept, to be compared with as well: the file of a note.")
    ] = None,
    beacon_chain: Annotated[
        list[str] | None,
        typer.Option(help="The hash of a drand chain that you know to be public, besides its mainnet."),
    ] = None,
    witness: Annotated[
        list[str] | None, typer.Option(help="The key of a witness that you believe; may be given several times.")
    ] = None,
    timestamp_roots: Annotated[
        Path | None, typer.Option(help="A PEM file of certificates, those of timestamp authorities that you believe.")
    ] = None,
    anchored: Annotated[
        Path | None,
        typer.Option(help="The note of the anchored checkpoint with its cosignatures; absent: the service's."),
    ] = None,
    timestamp: Annotated[
        Path | None, typer.Option(help="A timestamp authority's answer for the anchored checkpoint.")
    ] = None,
    tree_size: Annotated[int | None, typer.Option(help="The bundle as of this size of the log.", min=1)] = None,
    whole_log: Annotated[
        bool,
        typer.Option("--whole-log", help="Fetch every entry of the log, to see that none about the claim is left out."),
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help=f"End with {UNCHECKED} where anything was NOT CHECKED.")
    ] = False,
    largest: Annotated[int, typer.Option(help="The largest bundle that is taken, in MiB.", min=1)] = LARGEST_MEBIBYTES,
    state: Annotated[
        Path | None,
        typer.Option(envvar=STATE, help="Where keys and checkpoints are remembered; absent: by XDG_STATE_HOME."),
    ] = None,
    url: Url = None,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Check a claim without trusting the service: its proofs, its figures, its verdict.

    Needs neither a model nor a database. Every line is ok, FAILED, or NOT CHECKED with the reason.
    """
    _check_vkey(vkey)
    believed = read_believed(tuple(witness or ()), timestamp_roots, anchored, timestamp)
    asked = Asked(Memory(state_directory(state)), vkey, since, tuple(beacon_chain or ()), believed, whole_log=whole_log)
    with fetch(bundle, url=url, key=key, tree_size=tree_size, largest=largest * MEBIBYTE) as fetched:
        lines = _shown(verified(fetched, asked))
    _print(lines, as_json=as_json)
    if any(line.state == "failed" for line in lines):
        raise typer.Exit(FAILED)
    if strict and any(line.state == "not checked" for line in lines):
        raise typer.Exit(UNCHECKED)


def _check_vkey(vkey: str | None) -> None:
    try:
        if vkey is not None:
            name_of(vkey)
    except InvalidNoteError as error:
        raise BadInputError(f"--vkey is no key of a log: {error}.") from error


def _shown(lines: Iterator[Line]) -> list[Line]:
    """All lines, while a terminal shows which was come to last."""
    console = progress_console()
    done: list[Line] = []
    with console.status("reading the bundle") as status:
        for line in lines:
            done.append(line)
            status.update(f"{line.name}: {STATES[line.state][0]}")
    return done


def _print(lines: Sequence[Line], *, as_json: bool) -> None:
    counts = {state: sum(line.state == state for line in lines) for state in STATES}
    if as_json:
        named = {"ok": counts["ok"], "failed": counts["failed"], "not_checked": counts["not checked"]}
        print_json({"lines": [vars(line) for line in lines], **named})
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("checked", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what was found", overflow="fold")
    for line in lines:
        word, style = STATES[line.state]
        table.add_row(Text(line.name), Text(word, style), Text(line.detail))
    console = result_console()
    console.print(table)
    told = ", ".join(f"{counts[state]} {word}" for state, (word, _) in STATES.items())
    console.print(Text(told, STATES["failed" if counts["failed"] else "ok"][1]))
