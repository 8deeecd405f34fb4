"""`antedate audit`: the whole ledger held against its log, and its log against every head that was kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.cli.beside import copies_in, ledger_here, settings_here, signing_here
from app.cli.errors import BadInputError, DamagedLedgerError
from app.cli.options import AsJson
from app.cli.output import line, print_json
from app.cli.steps import steps
from app.ledger.audit import Audited, Finding
from app.ledger.audit import audit as examine
from app.ledger.audit.remedies import remedy
from app.ledger.checkpoints import Issued
from app.ledger.rebuilding import one_moment
from claims import checkpoint
from claims.signed_note import ED25519, InvalidNoteError, read_vkey

Remember = Annotated[
    list[Path] | None,
    typer.Option(help="A file of checkpoints that you kept: lines as ours, or one signed note. May be repeated."),
]


def audit(
    remember: Remember = None,
    key: Annotated[
        str | None, typer.Option(help="The log's verifier key as you know it; absent: that of the key set up here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check the whole ledger: log, documents, verdicts, proofs and tables.

    Exit code 9 when anything is not what the log says, or not what it said when a head of it was kept.
    """
    issued, notes = _kept(remember or [])
    kept = [*copies_in(settings_here().checkpoints), *issued]
    vkey = _own_key() if key is None else _checked(key)
    with ledger_here() as ledger, one_moment(ledger) as session, steps() as tell:
        found = examine(session, vkey, kept, tell, notes)
    if as_json:
        print_json(_as_object(found, len(kept) + len(notes)))
    else:
        _show(found, len(kept) + len(notes))
    if found.count:
        raise DamagedLedgerError(f"the audit has {found.count} findings.")


def _own_key() -> str:
    signing = signing_here()
    if signing is None:
        raise BadInputError("there is no key of this log here; give its verifier key by --key.")
    return signing.vkey


def _checked(key: str) -> str:
    try:
        read_vkey(key, ED25519)
    except InvalidNoteError as error:
        raise BadInputError(f"--key: {key!r} is no verifier key of a log: {error}.") from error
    return key


def _kept(paths: Sequence[Path]) -> tuple[list[Issued], list[str]]:
    """The checkpoints that people kept: lines as those of our own file, and notes as they are served."""
    issued: list[Issued] = []
    notes: list[str] = []
    for path in paths:
        if not path.is_file():
            raise BadInputError(f"--remember: there is no file {path}.")
        if path.read_bytes().startswith(b"{"):
            issued += copies_in(path)
        else:
            notes.append(_note(path))
    return issued, notes


def _note(path: Path) -> str:
    try:
        note = path.read_text(encoding="utf-8")
        checkpoint.parse(note)
    except (UnicodeDecodeError, InvalidNoteError) as error:
        raise BadInputError(f"--remember: {path} holds no checkpoint: {error}.") from error
    return note


def _as_object(found: Audited, remembered: int) -> dict[str, object]:
    return {
        "entries": found.size,
        "root": found.root.hex(),
        "remembered": remembered,
        "count": found.count,
        "findings": [{"where": one.where, "what": one.what, "remedy": remedy(one)} for one in found.findings],
    }


def _show(found: Audited, remembered: int) -> None:
    line("entries", str(found.size))
    line("root", found.root.hex())
    line("remembered", f"{remembered} checkpoints kept outside the database")
    line("findings", str(found.count))
    for words in dict.fromkeys(map(remedy, found.findings)):
        _show_kind([one for one in found.findings if remedy(one) == words], words)
    if found.count > len(found.findings):
        typer.echo(f"and {found.count - len(found.findings)} more")


def _show_kind(findings: Sequence[Finding], words: str) -> None:
    """The findings that call for one and the same remedy, and it once."""
    for finding in findings:
        typer.echo(f"  {finding.where}: {finding.what}")
    typer.echo(f"    {words}")
