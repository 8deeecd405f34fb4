"""`antedate verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from app.cli.errors import BadInputError, UnreachableError
from app.cli.fetching import MEBIBYTE, Fetched, fetch, get_text
from app.cli.following import NOW, SEEN, Following
from app.cli.options import AsJson, Key, Url
from app.cli.output import print_json, progress_console, result_console
from app.cli.remembered import STATE, Memory, state_directory
from app.cli.whole_log import COMPLETE, check_complete
from claims.beacon import MAINNET
from claims.bundle.parts import Parts
from claims.signed_note import InvalidNoteError, name_of
from claims.verifying import Case, Line, Pin, checked, verify_file
from claims.verifying.lines import printable

FAILED, UNCHECKED = 7, 8
LARGEST_MEBIBYTES = 1024
STATES = {"ok": ("ok", "green"), "failed": ("FAILED", "bold red"), "not checked": ("NOT CHECKED", "yellow")}


@dataclass(frozen=True)
class Asked:
    """What the command was told of what to believe."""

    memory: Memory
    vkey: str | None
    since: Path | None
    chains: Sequence[str]
    whole_log: bool


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
    asked = Asked(Memory(state_directory(state)), vkey, since, tuple(beacon_chain or ()), whole_log=whole_log)
    with fetch(bundle, url=url, key=key, tree_size=tree_size, largest=largest * MEBIBYTE) as fetched:
        lines = _shown(_verified(fetched, asked))
    _print(lines, as_json=as_json)
    if any(line.state == "failed" for line in lines):
        raise typer.Exit(FAILED)
    if strict and any(line.state == "not checked" for line in lines):
        raise typer.Exit(UNCHECKED)


def _verified(fetched: Fetched, asked: Asked) -> Iterator[Line]:
    found: list[Case] = []

    def case_of(parts: Parts) -> Case:
        chains = frozenset({MAINNET.hash, *asked.chains})
        found.append(Case(parts, _pin(parts, fetched, asked), chains))
        return found[0]

    signed = False
    for line in verify_file(fetched.file, case_of):
        signed = signed or (line.name == "checkpoint" and line.state == "ok")
        yield line
    for case in found:
        if fetched.claim is not None:
            yield _asked_for(case, fetched.claim)
        yield checked(COMPLETE, partial(check_complete, case, fetched.service, whole=asked.whole_log))
        yield from _followed(case, fetched, asked, signed=signed)


def _followed(case: Case, fetched: Fetched, asked: Asked, *, signed: bool) -> Iterator[Line]:
    if case.pin is None or not signed:
        why = "the checkpoint is not known to be the log's"
        yield from (Line(name, "not checked", why) for name in (SEEN, NOW))
    else:
        following = Following(asked.memory, case.pin, fetched.service)
        yield from following.lines(case.parts.checkpoint, asked.since)


def _asked_for(case: Case, claim: str) -> Line:
    """Whether the bundle is of the claim that was asked for, and not of another, as good a one."""
    found = case.registered.claim
    same = found == claim
    detail = f"it is of claim {claim}, as asked for" if same else f"it is of claim {found}, and {claim} was asked for"
    return Line("claim", "ok" if same else "failed", printable(detail))


def _pin(parts: Parts, fetched: Fetched, asked: Asked) -> Pin | None:
    """The key of the bundle's log: the one that was given, else the one remembered, else the one the service shows.

    A bundle's own key only says which log it claims to be of.
    """
    memory = asked.memory
    if asked.vkey is not None:
        memory.pin(name_of(asked.vkey), asked.vkey)
        return Pin(asked.vkey, "given")
    known = memory.of(parts.vkey.partition("+")[0])
    if known is not None:
        return Pin(known.vkey, "remembered")
    if fetched.service is None:
        return None
    shown = get_text(fetched.service, "/v1/log/key").removesuffix("\n")
    try:
        known = memory.pin(name_of(shown), shown)
    except InvalidNoteError as error:
        raise UnreachableError(f"{fetched.service.url} shows no key of a log: {error}.") from error
    return Pin(known.vkey, "first use" if known.vkey == shown else "remembered")


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
