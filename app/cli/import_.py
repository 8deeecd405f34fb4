"""`antedate import`: the ledger of an archive, into an empty database."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from app.cli.beside import copies_in, ledger_here, settings_here, signing_here
from app.cli.errors import BadInputError, CommandError
from app.cli.options import AsJson
from app.cli.output import print_json
from app.cli.remade import UNUSABLE, as_object, damage, tell_remade
from app.cli.steps import steps
from app.ledger.archive import ArchiveError, import_ledger
from app.ledger.archive.reading import Archive
from app.ledger.rebuilding import DamagedError


def import_(
    file: Annotated[Path, typer.Argument(help="An archive that `antedate export` wrote.")],
    secrets: Annotated[
        Path | None, typer.Option(help="The secrets that were written with it; absent: claims that wait never open.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Put the ledger of an archive into an empty database.

    Everything in it is checked before anything is written.
    """
    try:
        with (
            _opened(file) as opened,
            nullcontext() if secrets is None else _opened(secrets) as apart,
            ledger_here() as ledger,
            steps() as tell,
        ):
            archive = Archive(opened, tell)
            _refuse_other_key(archive.vkey)
            remembered = copies_in(settings_here().checkpoints)
            done = import_ledger(ledger, archive, apart, remembered, tell)
    except DamagedError as error:
        raise damage(error) from error
    except (ArchiveError, *UNUSABLE) as error:
        raise CommandError(f"nothing was imported: {error}.") from error
    if as_json:
        print_json({**as_object(done.audited, done.waiting), "vkey": done.vkey})
    else:
        tell_remade(done.audited, done.waiting)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}.") from error


def _refuse_other_key(vkey: str) -> None:
    """The log goes on under the key that signed it: with another one, nobody could follow it."""
    signing = signing_here()
    if signing is not None and signing.vkey != vkey:
        remedy = "bring that log's key, or name it by ANTEDATE_SIGNING_KEY_FILE and its log by ANTEDATE_LOG_NAME"
        raise BadInputError(f"the archive is of the log of {vkey}, and the key here is {signing.vkey}: {remedy}.")
